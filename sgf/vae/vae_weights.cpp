#include "sgf/vae/vae_weights.h"

#include "sgf/core/error.h"
#include "sgf/files/tensors.h"
#include "sgf/kernels/noise_fill.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <cmath>

namespace sgf {
namespace {

std::string path_of(const TensorFile& file) {
  return file.files.empty() ? "the file" : file.files.front()->path().string();
}

// Lists all problems at once, so that users can fix them together.
void refuse(const VaeFaults& faults, const VaeConfig& config, const TensorFile& file) {
  std::vector<std::string> said;
  for (const std::string& name : faults.missing) said.push_back(name + " is missing");
  said.insert(said.end(), faults.mismatched.begin(), faults.mismatched.end());
  for (const std::string& name : faults.unexpected) said.push_back(name + " is unexpected");
  const size_t total = said.size();
  if (total > 8) said.resize(8);
  fail("{} is not a complete Wan VAE of dim {} and z_dim {} ({} problems): {}{}; run sgf inspect to list all",
       path_of(file), config.dim, config.z_dim, total, fmt::join(said, "; "), total > said.size() ? "; ..." : "");
}

// Norm scales near 1, biases small, convolutions at 1 / sqrt(fan-in).
at::Tensor scaled_like_vae(const std::string& name, const at::Tensor& normal) {
  if (name.ends_with(".gamma")) return normal * 0.1 + 1;
  if (name.ends_with(".bias")) return normal * 0.02;
  return normal / std::sqrt(static_cast<double>(normal.numel() / normal.size(0)));
}

}  // namespace

VaeWeights load_vae_weights(const TensorFile& file, at::TensorOptions options) {
  const std::optional<VaeIndex> vae = find_vae(file);
  SGF_CHECK(vae.has_value(),
            "{} is not a Wan VAE: it has no encoder.conv1.weight and decoder.conv1.weight; expected Wan2.1_VAE.pth, or "
            "vae/ of a diffusers folder",
            path_of(file));
  VaeWeights weights{infer_vae_config(*vae), {}};
  const VaeFaults faults = vae_faults(weights.config, *vae);
  if (!faults.empty()) refuse(faults, weights.config, file);
  for (const VaeTensorShape& expected : expected_vae_weights(weights.config))
    weights.tensors[expected.name] =
        map_tensor(file, *vae->find(expected.name)).to(options, /*non_blocking=*/false, /*copy=*/true).contiguous();
  return weights;
}

VaeWeights load_vae_weights(const std::filesystem::path& path, at::TensorOptions options) {
  return load_vae_weights(open_tensor_file(path), options);
}

VaeWeights random_vae_weights(const VaeConfig& config, uint64_t seed, at::TensorOptions options) {
  config.validate();
  VaeWeights weights{config, {}};
  int64_t index = 0;
  for (const VaeTensorShape& expected : expected_vae_weights(config)) {
    const NoiseKey key{.seed = seed, .purpose = NoisePurpose::kInit, .sample = index++};
    weights.tensors[expected.name] =
        scaled_like_vae(expected.name, normal(key, expected.shape, options.dtype(at::kFloat))).to(options);
  }
  return weights;
}

}  // namespace sgf
