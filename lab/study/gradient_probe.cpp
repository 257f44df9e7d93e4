#include "lab/study/gradient_probe.h"

#include "sgf/diagnosis/boundary_gradients.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace sgf {
namespace {

constexpr const char* kAllLayers = "all";

// Sums over a layer's weights, of one update.
struct LayerSums {
  std::string layer;
  double frozen = 0, context = 0, product = 0;

  void add(const LayerSums& one) { frozen += one.frozen, context += one.context, product += one.product; }
};

LayerSums& sums_of(std::vector<LayerSums>& all, const std::string& layer) {
  const auto found = std::ranges::find(all, layer, &LayerSums::layer);
  return found != all.end() ? *found : all.emplace_back(LayerSums{.layer = layer});
}

LayerSums weight_sums(const at::Tensor& frozen, const at::Tensor& context) {
  const at::Tensor f = frozen.to(at::kDouble), c = context.to(at::kDouble);
  return {.layer = "",
          .frozen = f.square().sum().item<double>(),
          .context = c.square().sum().item<double>(),
          .product = (f * c).sum().item<double>()};
}

std::vector<LayerSums> update_sums(const DmdParts& parts, int64_t step) {
  const BoundaryGradients both = boundary_gradients(parts, step);
  const NamedTensors& masters = parts.generator.masters();
  std::vector<LayerSums> layers;
  LayerSums total{.layer = kAllLayers};
  for (size_t i = 0; i < masters.size(); ++i) {
    const LayerSums one = weight_sums(both.frozen[i], both.context[i]);
    sums_of(layers, layer_of(masters[i].first)).add(one);
    total.add(one);
  }
  layers.push_back(total);
  return layers;
}

void add_probe(LayerProbe& mean, const LayerSums& s, double share) {
  const double frozen = std::sqrt(s.frozen), context = std::sqrt(s.context);
  mean.frozen_norm += share * frozen;
  mean.context_norm += share * context;
  mean.ratio += share * (frozen > 0 ? context / frozen : 0);
  mean.cosine += share * (frozen > 0 && context > 0 ? s.product / (frozen * context) : 0);
}

}  // namespace

std::string layer_of(const std::string& weight_name) {
  const bool is_block = weight_name.starts_with("blocks.");
  return weight_name.substr(0, weight_name.find('.', is_block ? std::string("blocks.").size() : 0));
}

std::vector<LayerProbe> probe_context_gradient(const DmdParts& parts, int64_t first_step, int64_t updates) {
  std::vector<LayerProbe> probes;
  for (int64_t i = 0; i < updates; ++i) {
    const std::vector<LayerSums> sums = update_sums(parts, first_step + i);
    if (probes.empty())
      for (const LayerSums& layer : sums) probes.push_back({.layer = layer.layer});
    for (size_t k = 0; k < sums.size(); ++k) add_probe(probes[k], sums[k], 1.0 / static_cast<double>(updates));
  }
  return probes;
}

}  // namespace sgf
