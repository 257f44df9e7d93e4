// RoPE angles of video tokens, computed on demand: there is no table that a long stream could exceed.
#pragma once

#include "sgf/core/patch_grid.h"
#include "sgf/kernels/rope.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace sgf {

// Angles for frames at these temporal positions, tokens in order f, h, w. Of a head's D channels, D - 4 * (D / 6)
// encode time, 2 * (D / 6) the row and 2 * (D / 6) the column. Angles are float64, cos and sin as wide as `like`
// computes.
RopeTable rope_table(const std::vector<int64_t>& positions, const PatchGrid& grid, int64_t head_width,
                     const at::Tensor& like);

// A cache of RoPE tables. Every step uses the same few tables, so the first ones are kept, up to 256 MB. A kept table
// is never removed or moved, because recorded GPU launches read it by its address. Copies share one cache.
class RopeTables {
 public:
  RopeTables();

  RopeTable of(const std::vector<int64_t>& positions, const PatchGrid& grid, int64_t head_width,
               const at::Tensor& like) const;
  // Whether the table of an earlier call is stored.
  bool keeps(const std::vector<int64_t>& positions, const PatchGrid& grid, int64_t head_width) const;

 private:
  struct Kept;
  std::shared_ptr<Kept> kept_;
};

}  // namespace sgf
