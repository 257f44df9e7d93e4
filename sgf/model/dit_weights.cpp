#include "sgf/model/dit_weights.h"

#include "sgf/core/error.h"
#include "sgf/core/noise.h"
#include "sgf/kernels/noise_fill.h"
#include "sgf/model/weight_folder.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>

namespace sgf {
namespace {

DitWeights empty_weights(const DitConfig& config) {
  DitWeights weights;
  weights.blocks.resize(static_cast<size_t>(config.num_layers));
  return weights;
}

// What is wrong with a file for this architecture, as one message: users fix all of it at once.
std::vector<std::string> faults(const DitConfig& config, const DitWeightIndex& index) {
  std::vector<std::string> out;
  for (const WeightShape& expected : expected_dit_weights(config)) {
    const auto found = index.tensors.find(expected.name);
    if (found == index.tensors.end())
      out.push_back(fmt::format("{} is missing", expected.name));
    else if (found->second->shape != expected.shape)
      out.push_back(fmt::format("{} is [{}], expected [{}]", expected.name, fmt::join(found->second->shape, ", "),
                                fmt::join(expected.shape, ", ")));
  }
  return out;
}

void check_complete(const DitConfig& config, const TensorFile& file, const DitWeightIndex& index) {
  std::vector<std::string> found = faults(config, index);
  if (found.empty()) return;
  const size_t total = found.size();
  if (total > 8) found.resize(8);
  const std::string path = file.files.empty() ? "the file" : file.files[0]->path().string();
  const std::string hint = file.files.size() == 1 ? shard_hint(path) : "";
  fail("model", "{} does not hold a DiT of dim {} with {} layers ({} faults): {}{}{}{}", path, config.dim,
       config.num_layers, total, fmt::join(found, "; "), total > found.size() ? "; ..." : "", hint.empty() ? "" : "; ",
       hint);
}

bool ends_with(std::string_view name, std::string_view suffix) {
  return name.size() >= suffix.size() && name.substr(name.size() - suffix.size()) == suffix;
}

// Norm scales near 1, modulation small as in Wan's initialisation, biases small, matrices at 1 / sqrt(fan-in).
at::Tensor scaled(const std::string& name, const at::Tensor& normal) {
  if (ends_with(name, "norm3.weight") || ends_with(name, "norm_q.weight") || ends_with(name, "norm_k.weight"))
    return normal * 0.1 + 1;
  if (ends_with(name, "modulation")) return normal / std::sqrt(static_cast<double>(normal.size(-1)));
  if (ends_with(name, ".bias")) return normal * 0.02;
  return normal / std::sqrt(static_cast<double>(normal.numel() / normal.size(0)));
}

}  // namespace

NamedTensors named_parameters(const DitWeights& weights) {
  NamedTensors out;
  visit_weights(weights, [&](const std::string& name, const at::Tensor& tensor) { out.emplace_back(name, tensor); });
  return out;
}

DitWeights load_dit_weights(const DitConfig& config, const TensorFile& file, const DitWeightIndex& index,
                            at::TensorOptions options) {
  config.validate();
  check_complete(config, file, index);
  DitWeights weights = empty_weights(config);
  visit_weights(weights, [&](const std::string& name, at::Tensor& tensor) {
    tensor = map_tensor(file, *index.tensors.at(name)).to(options, /*non_blocking=*/false, /*copy=*/true).contiguous();
  });
  return weights;
}

DitWeights random_dit_weights(const DitConfig& config, uint64_t seed, at::TensorOptions options) {
  config.validate();
  std::map<std::string, std::vector<int64_t>> shapes;
  for (const WeightShape& expected : expected_dit_weights(config)) shapes[expected.name] = expected.shape;
  DitWeights weights = empty_weights(config);
  int64_t index = 0;
  visit_weights(weights, [&](const std::string& name, at::Tensor& tensor) {
    const NoiseKey key{.seed = seed, .purpose = NoisePurpose::kInit, .sample = index++};
    tensor = scaled(name, normal(key, shapes.at(name), options.dtype(at::kFloat))).to(options);
  });
  return weights;
}

void set_requires_grad(const DitWeights& weights, bool requires_grad) {
  visit_weights(weights, [&](const std::string&, const at::Tensor& t) { t.set_requires_grad(requires_grad); });
}

}  // namespace sgf
