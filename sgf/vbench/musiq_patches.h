// A frame as MUSIQ reads it: square patches at several sizes, each with a position and a scale.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
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

}  // namespace sgf
