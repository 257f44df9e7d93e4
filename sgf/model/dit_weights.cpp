#include "sgf/model/dit_weights.h"

#include "sgf/core/noise.h"
#include "sgf/kernels/noise_fill.h"
#include "sgf/model/weight_table.h"

#include <ATen/ATen.h>

#include <cmath>
#include <map>

namespace sgf {
namespace {

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

DitWeights dit_weights_to_fill(const DitConfig& config) {
  DitWeights weights;
  weights.blocks.resize(static_cast<size_t>(config.num_layers));
  return weights;
}

NamedTensors named_parameters(const DitWeights& weights) {
  NamedTensors out;
  visit_weights(weights, [&](const std::string& name, const at::Tensor& tensor) { out.emplace_back(name, tensor); });
  return out;
}

DitWeights random_dit_weights(const DitConfig& config, uint64_t seed, at::TensorOptions options) {
  config.validate();
  std::map<std::string, std::vector<int64_t>> shapes;
  for (const WeightShape& expected : expected_dit_weights(config)) shapes[expected.name] = expected.shape;
  DitWeights weights = dit_weights_to_fill(config);
  int64_t index = 0;
  visit_weights(weights, [&](const std::string& name, at::Tensor& tensor) {
    const NoiseKey key{.seed = seed, .purpose = NoisePurpose::kInit, .sample = index++};
    tensor = scaled(name, normal(key, shapes.at(name), options.dtype(at::kFloat))).to(options);
  });
  return weights;
}

void join_projections(DitWeights& weights) {
  for (BlockWeights& block : weights.blocks) {
    AttentionWeights& a = block.self_attn;
    if (a.q.weight.is_cpu() || a.qkv.weight.defined()) continue;
    a.qkv = {at::cat({a.q.weight, a.k.weight, a.v.weight}), at::cat({a.q.bias, a.k.bias, a.v.bias})};
    int64_t row = 0;
    for (Linear* part : {&a.q, &a.k, &a.v}) {
      const int64_t rows = part->weight.size(0);
      *part = {a.qkv.weight.narrow(0, row, rows), a.qkv.bias.narrow(0, row, rows)};
      row += rows;
    }
  }
}

void set_requires_grad(const DitWeights& weights, bool requires_grad) {
  visit_weights(weights, [&](const std::string&, const at::Tensor& t) { t.set_requires_grad(requires_grad); });
}

}  // namespace sgf
