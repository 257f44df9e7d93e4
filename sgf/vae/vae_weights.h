// The weights of a Wan VAE under their official names.
#pragma once

#include "sgf/files/tensor_file.h"
#include "sgf/vae/vae_config.h"

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <string>

namespace sgf {

struct VaeWeights {
  VaeConfig config;
  std::map<std::string, at::Tensor> tensors;  // all of expected_vae_weights(config), with one dtype on one device

  const at::Tensor& at(const std::string& name) const { return tensors.at(name); }
};

// Copies onto `options` (dtype, device); sizes are read from the file. Throws an Error that lists all missing tensors,
// wrong shapes and unexpected tensors.
VaeWeights load_vae_weights(const TensorFile& file, at::TensorOptions options);
VaeWeights load_vae_weights(const std::filesystem::path& path, at::TensorOptions options);

// Fresh weights, a pure function of the seed, that keep the scale of the activations.
VaeWeights random_vae_weights(const VaeConfig& config, uint64_t seed, at::TensorOptions options);

}  // namespace sgf
