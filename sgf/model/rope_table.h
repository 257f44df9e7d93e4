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

// Tables that a network's calls have asked for. The same few come again with every step, so that the first are kept, up
// to a quarter of a gigabyte; none is ever dropped: recorded launches read them where they are. Copies share what they
// keep.
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
