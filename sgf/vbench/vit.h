// One vision transformer for DINO, DINOv2, the image towers of CLIP, and the three towers of DreamSim. A grid of
// patches becomes tokens, blocks of attention and MLP process them, and the first token is the feature.
#pragma once

#include "sgf/vbench/network_weights.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sgf {

// The naming scheme of the weights.
enum class VitNames {
  kDino,  // blocks.0.attn.qkv.weight, ...; also DreamSim's CLIP towers, whose first norm is called `pos_drop`
  kClip,  // visual.transformer.resblocks.0.attn.in_proj_weight, ...; no bias in the patch embedding
};

enum class VitActivation {
  kGelu,       // exact
  kQuickGelu,  // x * sigmoid(1.702 x)
};

struct VitConfig {
  std::string network;  // name for messages: "DINO ViT-B/16"
  VitNames names = VitNames::kDino;
  int64_t grid = 14;  // positions were learned for grid x grid patches
  int64_t patch = 16;
  int64_t dim = 768;
  int64_t depth = 12;
  int64_t heads = 12;
  int64_t mlp = 3072;
  int64_t out_dim = 0;  // of the final projection; 0: none
  double norm_eps = 1e-6;
  VitActivation activation = VitActivation::kGelu;
  bool has_layer_scale = false;
  bool has_pre_norm = false;      // before the first block
  bool has_final_norm = true;     // before the projection
  bool resizes_positions = true;  // accepts other frame sizes than those of training

  int64_t feature_dim() const { return out_dim > 0 ? out_dim : dim; }
  void validate() const;
};

VitConfig dino_b16_config();
VitConfig dinov2_b14_config();
VitConfig clip_b32_config();
VitConfig clip_l14_config();

// A config of `family` with the sizes from a file's shapes; `shape_of` returns an empty shape for a missing name. Heads
// have a width of 64, as in all of these networks. Sizes that no shape determines are taken from the family.
using ShapeLookup = std::function<std::vector<int64_t>(const std::string& name)>;
VitConfig sized_by(VitConfig family, const ShapeLookup& shape_of);

class Vit {
 public:
  // Takes the weights that the config requires, with the dtype and device of `weights`; norms and positions in float32
  // or wider.
  Vit(const VitConfig& config, NetworkWeights& weights);

  const VitConfig& config() const { return config_; }
  at::TensorOptions options() const { return patch_weight_.options(); }
  at::ScalarType picture_type() const;  // float32 or wider

  // [B, 3, H, W], normalised -> [B, feature_dim], float32 or wider. Pixels beyond whole patches are dropped.
  at::Tensor features(const at::Tensor& pictures) const;

  // The parts, in order. Tokens are [B, L, dim]; the first one is not a patch.
  at::Tensor tokens(const at::Tensor& pictures) const;
  at::Tensor run_block(int64_t index, const at::Tensor& tokens) const {
    return run_block(index, tokens, tokens.size(1));
  }
  at::Tensor feature_of(const at::Tensor& tokens) const;

  // [L, dim], added to the tokens of a frame of this size.
  at::Tensor positions(int64_t height, int64_t width) const;

 private:
  struct Norm {
    at::Tensor weight, bias;  // [dim]
  };
  struct Linear {
    at::Tensor weight, bias;  // [out, in], [out]
  };
  struct Block {
    Norm norm1, norm2;
    Linear qkv, out, fc1, fc2;
    at::Tensor scale1, scale2;  // [dim], LayerScale; undefined if there is none
  };

  Norm take_norm(NetworkWeights& weights, const std::string& name) const;
  Linear take_linear(NetworkWeights& weights, const std::string& name, int64_t out, int64_t in) const;
  Block take_block(NetworkWeights& weights, int64_t index) const;
  void take_ends(NetworkWeights& weights);
  at::Tensor normed(const at::Tensor& x, const Norm& norm) const;
  // Computes only the first `wanted` tokens; they attend to all tokens.
  at::Tensor run_block(int64_t index, const at::Tensor& tokens, int64_t wanted) const;
  at::Tensor attended(const at::Tensor& x, const Block& block, int64_t wanted) const;
  at::Tensor in_heads(const at::Tensor& rows) const;  // [B, L, n * dim] -> [n, B, heads, L, width]
  at::Tensor expanded(const at::Tensor& x, const Block& block) const;

  VitConfig config_;
  at::Tensor patch_weight_;  // [dim, 3 * patch * patch]
  at::Tensor patch_bias_;    // [dim], undefined in CLIP
  at::Tensor class_token_;   // [1, 1, dim]
  at::Tensor positions_;     // [1 + grid * grid, dim]
  Norm pre_norm_, final_norm_;
  at::Tensor projection_;  // [dim, out_dim]
  std::vector<Block> blocks_;
};

}  // namespace sgf
