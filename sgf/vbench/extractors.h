// Networks as the metrics use them: frames in, one feature vector per frame out. Preprocessing, batching and 16-bit
// rounding happen inside.
#pragma once

#include "sgf/vbench/preprocess.h"
#include "sgf/vbench/vit.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace sgf {

class FeatureExtractor {
 public:
  virtual ~FeatureExtractor() = default;

  // Frames uint8 [F, H, W, 3], RGB, on any device -> [F, D], float32 or wider, on the network's device. Features are
  // not normalised and do not depend on the other frames of the call.
  at::Tensor features(const at::Tensor& pictures) const;

 protected:
  FeatureExtractor() = default;
  FeatureExtractor(FeatureExtractor&&) = default;
  FeatureExtractor& operator=(FeatureExtractor&&) = default;

 private:
  virtual at::Device device() const = 0;
  virtual at::Tensor batch_features(const at::Tensor& pictures) const = 0;
};

// One ViT after one of the transforms.
class VitExtractor : public FeatureExtractor {
 public:
  using Transform = at::Tensor (*)(const at::Tensor& pictures, at::ScalarType dtype);

  VitExtractor(Vit vit, Transform transform) : vit_(std::move(vit)), transform_(transform) {}

  int64_t feature_dim() const { return vit_.config().feature_dim(); }

 private:
  at::Device device() const override { return vit_.options().device(); }
  at::Tensor batch_features(const at::Tensor& pictures) const override;

  Vit vit_;
  Transform transform_;
};

// Dtype and device are those of the weights.
VitExtractor dino_extractor(NetworkWeights weights);    // subject consistency
VitExtractor dinov2_extractor(NetworkWeights weights);  // the same between clips
VitExtractor clip_extractor(NetworkWeights weights);    // ViT-B/32: background consistency

// The LAION head on the features of CLIP ViT-L/14.
class AestheticScorer {
 public:
  AestheticScorer(VitExtractor clip_l14, NetworkWeights head);

  // [F] in about 0 to 1: a tenth of the head's output.
  at::Tensor scores(const at::Tensor& pictures) const { return scores_of(clip_.features(pictures)); }
  at::Tensor scores_of(const at::Tensor& features) const;

 private:
  VitExtractor clip_;
  at::Tensor weight_, bias_;  // [1, D], [1]
};

AestheticScorer aesthetic_scorer(NetworkWeights clip_l14, NetworkWeights head);

// DreamSim's ensemble: the concatenated features of three ViTs, centred and normalised to length 1.
class DreamSimExtractor : public FeatureExtractor {
 public:
  // One of the three; each normalises frames in [0, 1] in its own way.
  struct Tower {
    Vit vit;
    PictureNorm norm;
  };

  explicit DreamSimExtractor(std::vector<Tower> towers);

  // Features before centring: [F, D of all towers].
  at::Tensor raw_features(const at::Tensor& pictures) const;

 private:
  at::Device device() const override { return towers_.front().vit.options().device(); }
  at::Tensor batch_features(const at::Tensor& pictures) const override;

  std::vector<Tower> towers_;
};

// Weights of the towers, with their LoRA merged.
struct DreamSimWeights {
  NetworkWeights dino, clip, open_clip;
};

DreamSimExtractor dreamsim_extractor(DreamSimWeights weights);

// The three towers of DreamSim: DINO without its last norm, CLIP and OpenCLIP under DINO's names.
VitConfig dreamsim_dino_config();
VitConfig dreamsim_clip_config();
VitConfig dreamsim_open_clip_config();

// A source whose `*.attn.qkv.weight` are those of `base` + scale * B A from `adapters` (`*.attn.qkv.lora_B.weight` and
// lora_A of rank `rank`), rounded once to the dtype of `base`.
NetworkWeights with_lora(const NetworkWeights& base, const NetworkWeights::Source& adapters, int64_t rank,
                         double scale);

}  // namespace sgf
