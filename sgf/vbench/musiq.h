// MUSIQ, the network behind imaging quality: how good a frame looks, from its patches at three sizes.
#pragma once

#include "sgf/vbench/network_weights.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

struct MusiqConfig {
  int64_t patch_size = 32;
  int64_t hidden_size = 384;
  int64_t mlp_dim = 1152;
  int64_t num_heads = 6;
  int64_t num_layers = 14;
  int64_t grid_size = 10;                          // positions are quantised to a grid with this many cells per side
  std::vector<int64_t> longer_sides = {224, 384};  // the original size follows

  int64_t num_scales() const { return static_cast<int64_t>(longer_sides.size()) + 1; }
};

// The patches of frames of one size. The original pads the smaller sizes to a square of patches and masks the padding;
// here it is left out.
struct MusiqPatches {
  at::Tensor patches;           // [F, L, 3, P, P]
  at::Tensor places;            // [L], int64: row * grid_size + column of the grid
  at::Tensor scales;            // [L], int64
  std::vector<int64_t> counts;  // per scale
};

// Patches of frames [F, 3, H, W]. Throws if a frame is so thin that a side becomes zero.
MusiqPatches musiq_patches(const at::Tensor& pictures, const MusiqConfig& config);

// The position on the grid of patch `index` out of `count` along an axis.
int64_t musiq_place(int64_t index, int64_t count, int64_t grid_size);

// The patch encoder: one embedding per patch. Convolutions whose weights are standardised once, when they are taken.
// Padding gives the same sizes as TensorFlow.
class MusiqStem {
 public:
  MusiqStem(NetworkWeights& weights, const MusiqConfig& config);

  at::Tensor root(const at::Tensor& patches) const;     // [N, 3, P, P] -> [N, 64, P / 2, P / 2]
  at::Tensor block(const at::Tensor& root) const;       // -> [N, 256, P / 4, P / 4]
  at::Tensor embedding(const at::Tensor& block) const;  // -> [N, hidden]

 private:
  struct GroupNorm {
    at::Tensor weight, bias;
    double eps;
    at::Tensor operator()(const at::Tensor& x) const;
  };

  static at::Tensor take_standardised(NetworkWeights& weights, const std::string& name, at::IntArrayRef shape);
  static GroupNorm take_norm(NetworkWeights& weights, const std::string& name, int64_t width, double eps);

  at::Tensor root_, first_, second_, third_, projection_;
  GroupNorm root_norm_, first_norm_, second_norm_, third_norm_, projection_norm_;
  at::Tensor embedding_weight_, embedding_bias_;
};

// Dtype and device are those of its weights.
class Musiq {
 public:
  explicit Musiq(NetworkWeights weights, MusiqConfig config = {});

  // Bytes [F, H, W, 3], RGB, on any device -> [F] in about 0 to 100, float32 or wider, on the network's device. Frames
  // with a side above 512 are downscaled first, as in VBench's imaging quality.
  at::Tensor scores(const at::Tensor& pictures) const;

  // The parts: preprocessed frames as patches in [-1, 1], the embedding of each patch [F, L, hidden] before positions
  // and scales are added, the summary token [F, hidden], and its score.
  MusiqPatches patches(const at::Tensor& pictures) const;
  at::Tensor summary(const MusiqPatches& patches) const;
  at::Tensor score(const at::Tensor& summary) const;

  const MusiqStem& stem() const { return stem_; }
  const MusiqConfig& config() const { return config_; }
  at::TensorOptions options() const { return options_; }

 private:
  struct Linear {
    at::Tensor weight, bias;
    at::Tensor operator()(const at::Tensor& x) const;
  };
  struct LayerNorm {
    at::Tensor weight, bias;
    at::Tensor operator()(const at::Tensor& x) const;
  };
  struct Layer {
    LayerNorm attention_norm, mlp_norm;
    Linear qkv, out, widen, narrow;
  };

  static Linear take_linear(NetworkWeights& weights, const std::string& name, int64_t in, int64_t out);
  static LayerNorm take_norm(NetworkWeights& weights, const std::string& name, int64_t width);
  Layer take_layer(NetworkWeights& weights, const std::string& name) const;
  at::Tensor attend(const Layer& layer, const at::Tensor& x) const;

  at::TensorOptions options_;
  MusiqConfig config_;
  MusiqStem stem_;
  at::Tensor place_rows_, scale_rows_, summary_row_;  // [grid^2, hidden], [scales, hidden], [1, 1, hidden]
  std::vector<Layer> layers_;
  LayerNorm last_norm_;
  Linear head_;
};

// Loads `musiq_spaq_ckpt-358bb6af.pth`, with weights at the top level or under "params".
Musiq load_musiq(const std::filesystem::path& path, at::TensorOptions options);

}  // namespace sgf
