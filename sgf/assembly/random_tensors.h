// Random weights that are written as they are drawn, for files larger than memory. Torch-free.
#pragma once

#include "sgf/files/safetensors.h"
#include "sgf/model/dit_config.h"
#include "sgf/text/umt5_names.h"
#include "sgf/vae/vae_config.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace sgf {

struct RandomOrder {
  uint64_t seed = 0;
  int64_t network = 0;  // networks of one seed get different numbers
  DType dtype = DType::kF32;
  std::function<void(uint64_t bytes)> written = [](uint64_t) {};
};

// All tensors of a network under the official names, in the official order. The scales keep every layer's output of
// order 1: linear layers and convolutions have standard deviation 1 / sqrt(inputs), norms are near 1.
std::vector<OutgoingTensor> random_dit(const DitConfig& config, const RandomOrder& order);
std::vector<OutgoingTensor> random_umt5(const Umt5Config& config, const RandomOrder& order);
std::vector<OutgoingTensor> random_vae(const VaeConfig& config, const RandomOrder& order);

uint64_t bytes_of(const std::vector<OutgoingTensor>& tensors);

}  // namespace sgf
