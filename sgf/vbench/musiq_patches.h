// A picture as MUSIQ reads it: square patches of the picture at several sizes, each with a place and a size of its own.
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
  int64_t grid_size = 10;                          // places are told apart on a grid of so many a side
  std::vector<int64_t> longer_sides = {224, 384};  // the picture's own size comes after them

  int64_t num_scales() const { return static_cast<int64_t>(longer_sides.size()) + 1; }
};

// The patches of some pictures of one size. The original fills each of the smaller sizes up to a square of patches and
// hides the fillers from everybody; here they are left out.
struct MusiqPatches {
  at::Tensor patches;           // [F, L, 3, P, P]
  at::Tensor places;            // [L], int64: row * grid_size + column of the grid
  at::Tensor scales;            // [L], int64
  std::vector<int64_t> counts;  // of each scale
};

// Of pictures [F, 3, H, W]. Throws where one is so thin that nothing is left of a side.
MusiqPatches musiq_patches(const at::Tensor& pictures, const MusiqConfig& config);

// The place on the grid of patch `index` of `count` along an axis.
int64_t musiq_place(int64_t index, int64_t count, int64_t grid_size);

}  // namespace sgf
