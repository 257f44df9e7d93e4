#include "sgf/vbench/extractors.h"

#include "sgf/core/error.h"
#include "sgf/kernels/wide.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <string_view>

namespace sgf {
namespace {

// Enough to keep the machine busy; memory is limited to this many frames for a video of any length.
int64_t batch_size(at::Device device) { return device.is_cuda() ? 32 : 4; }

VitConfig dreamsim_clip_tower(const char* network, VitActivation activation) {
  return {.network = network, .out_dim = 512, .norm_eps = 1e-5, .activation = activation, .has_pre_norm = true};
}

// Checks both factors: a source from a file may return anything.
at::Tensor lora_product(const NetworkWeights::Source& adapters, const std::string& layer, at::IntArrayRef shape,
                        int64_t rank) {
  const at::Tensor b = adapters(layer + ".lora_B.weight", {shape[0], rank});
  const at::Tensor a = adapters(layer + ".lora_A.weight", {rank, shape[1]});
  const bool fits = a.defined() && b.defined() && a.sizes() == at::IntArrayRef({rank, shape[1]}) &&
                    b.sizes() == at::IntArrayRef({shape[0], rank});
  return fits ? at::matmul(b.to(at::kDouble), a.to(at::kDouble)) : at::Tensor();
}

}  // namespace

at::Tensor FeatureExtractor::features(const at::Tensor& pictures) const {
  const at::NoGradGuard no_grad;
  SGF_CHECK(pictures.dim() == 4 && pictures.size(0) > 0, "features need frames [F, H, W, 3], got {} dimensions",
            pictures.dim());
  std::vector<at::Tensor> rows;
  for (const at::Tensor& batch : pictures.split(batch_size(device())))
    rows.push_back(batch_features(batch.to(device())));
  return at::cat(rows);
}

at::Tensor VitExtractor::batch_features(const at::Tensor& pictures) const {
  return vit_.features(transform_(pictures, vit_.picture_type()));
}

VitExtractor dino_extractor(NetworkWeights weights) { return {Vit(dino_b16_config(), weights), dino_transform}; }

VitExtractor dinov2_extractor(NetworkWeights weights) { return {Vit(dinov2_b14_config(), weights), dinov2_transform}; }

VitExtractor clip_extractor(NetworkWeights weights) { return {Vit(clip_b32_config(), weights), clip_transform}; }

AestheticScorer::AestheticScorer(VitExtractor clip_l14, NetworkWeights head)
    : clip_(std::move(clip_l14)),
      weight_(head.take_wide("weight", {1, clip_.feature_dim()})),
      bias_(head.take_wide("bias", {1})) {
  head.finish("aesthetic head");
}

at::Tensor AestheticScorer::scores_of(const at::Tensor& features) const {
  const at::Tensor unit = features / features.norm(2, {-1}, /*keepdim=*/true);
  return at::linear(unit, weight_, bias_).squeeze(-1) / 10;
}

AestheticScorer aesthetic_scorer(NetworkWeights clip_l14, NetworkWeights head) {
  return {VitExtractor(Vit(clip_l14_config(), clip_l14), clip_transform), std::move(head)};
}

DreamSimExtractor::DreamSimExtractor(std::vector<Tower> towers) : towers_(std::move(towers)) {
  SGF_CHECK(!towers_.empty(), "DreamSim needs at least one tower, got none");
}

at::Tensor DreamSimExtractor::raw_features(const at::Tensor& pictures) const {
  const at::Tensor prepared = dreamsim_transform(pictures.to(device()), towers_.front().vit.picture_type());
  std::vector<at::Tensor> features;
  for (const Tower& tower : towers_) features.push_back(tower.vit.features(normalised_pictures(prepared, tower.norm)));
  return at::cat(features, 1);
}

at::Tensor DreamSimExtractor::batch_features(const at::Tensor& pictures) const {
  const at::Tensor raw = raw_features(pictures);
  const at::Tensor centred = raw - raw.mean(1, /*keepdim=*/true);
  return centred / centred.norm(2, {1}, /*keepdim=*/true);
}

DreamSimExtractor dreamsim_extractor(DreamSimWeights weights) {
  std::vector<DreamSimExtractor::Tower> towers;
  towers.push_back({Vit(dreamsim_dino_config(), weights.dino), kImageNetNorm});
  towers.push_back({Vit(dreamsim_clip_config(), weights.clip), kClipNorm});
  towers.push_back({Vit(dreamsim_open_clip_config(), weights.open_clip), kClipNorm});
  return DreamSimExtractor(std::move(towers));
}

VitConfig dreamsim_dino_config() {
  VitConfig config = dino_b16_config();
  config.network = "DINO ViT-B/16 of DreamSim", config.has_final_norm = false;
  return config;
}

VitConfig dreamsim_clip_config() { return dreamsim_clip_tower("CLIP ViT-B/16 of DreamSim", VitActivation::kQuickGelu); }

VitConfig dreamsim_open_clip_config() {
  return dreamsim_clip_tower("OpenCLIP ViT-B/16 of DreamSim", VitActivation::kGelu);
}

NetworkWeights with_lora(const NetworkWeights& base, const NetworkWeights::Source& adapters, int64_t rank,
                         double scale) {
  const auto merged = [source = base.source(), adapters, rank, scale](const std::string& name, at::IntArrayRef shape) {
    const at::Tensor weight = source(name, shape);
    constexpr std::string_view kEnd = ".weight";
    if (!name.ends_with(".attn.qkv.weight") || !weight.defined() || weight.sizes() != shape) return weight;
    const at::Tensor product = lora_product(adapters, name.substr(0, name.size() - kEnd.size()), shape, rank);
    return product.defined() ? (weight.to(at::kDouble) + scale * product).to(weight.scalar_type()) : at::Tensor();
  };
  return {merged, base.options(), base.origin() + " with its LoRA"};
}

}  // namespace sgf
