// What each block of a few small streams sees, and at which positions: typed in by hand, no rule is asked.
#pragma once

#include "sgf/context/position_rule.h"
#include "sgf/core/frame_span.h"

#include <string>
#include <vector>

namespace sgf::testing {

// All that one block attends to, itself last.
struct TypedBlock {
  FrameSpan block;
  std::vector<int64_t> frames;  // absolute positions, too
  std::vector<int64_t> contiguous;
  std::vector<int64_t> top_aligned;

  const std::vector<int64_t>& positions(PositionKind kind) const {
    if (kind == PositionKind::kAbsolute) return frames;
    return kind == PositionKind::kContiguous ? contiguous : top_aligned;
  }
};

struct TypedStream {
  std::string name;
  ContextPolicy policy;
  BlockLayout layout;
  int64_t train_frames;
  std::vector<TypedBlock> blocks;
};

inline std::vector<TypedStream> typed_streams() {
  return {
      {"frame-wise, evicting inside and beyond the trained five",
       {.sink_frames = 1, .fifo_frames = 2},
       BlockLayout(7, 1),
       /*train_frames=*/5,
       {{{0, 1}, {0}, {0}, {0}},
        {{1, 2}, {0, 1}, {0, 1}, {0, 1}},
        {{2, 3}, {0, 1, 2}, {0, 1, 2}, {0, 1, 2}},
        {{3, 4}, {0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}},
        {{4, 5}, {0, 2, 3, 4}, {0, 1, 2, 3}, {0, 2, 3, 4}},
        {{5, 6}, {0, 3, 4, 5}, {0, 1, 2, 3}, {0, 2, 3, 4}},
        {{6, 7}, {0, 4, 5, 6}, {0, 1, 2, 3}, {0, 2, 3, 4}}}},
      {"a first block of one, then pairs; neither sink nor FIFO ends with a block",
       {.sink_frames = 2, .fifo_frames = 3},
       BlockLayout(11, 2, 1),
       /*train_frames=*/8,
       {{{0, 1}, {0}, {0}, {0}},
        {{1, 3}, {0, 1, 2}, {0, 1, 2}, {0, 1, 2}},
        {{3, 5}, {0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}},
        {{5, 7}, {0, 1, 2, 3, 4, 5, 6}, {0, 1, 2, 3, 4, 5, 6}, {0, 1, 2, 3, 4, 5, 6}},
        {{7, 9}, {0, 1, 4, 5, 6, 7, 8}, {0, 1, 2, 3, 4, 5, 6}, {0, 1, 3, 4, 5, 6, 7}},
        {{9, 11}, {0, 1, 6, 7, 8, 9, 10}, {0, 1, 2, 3, 4, 5, 6}, {0, 1, 3, 4, 5, 6, 7}}}},
      {"chunks of three, a sink that ends inside the second",
       {.sink_frames = 4, .fifo_frames = 2},
       BlockLayout(12, 3),
       /*train_frames=*/10,
       {{{0, 3}, {0, 1, 2}, {0, 1, 2}, {0, 1, 2}},
        {{3, 6}, {0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 5}},
        {{6, 9}, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {0, 1, 2, 3, 4, 5, 6, 7, 8}},
        {{9, 12}, {0, 1, 2, 3, 7, 8, 9, 10, 11}, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {0, 1, 2, 3, 5, 6, 7, 8, 9}}}},
      {"no sink, a first block of two, then chunks of three",
       {.sink_frames = 0, .fifo_frames = 2},
       BlockLayout(11, 3, 2),
       /*train_frames=*/6,
       {{{0, 2}, {0, 1}, {0, 1}, {0, 1}},
        {{2, 5}, {0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}},
        {{5, 8}, {3, 4, 5, 6, 7}, {0, 1, 2, 3, 4}, {1, 2, 3, 4, 5}},
        {{8, 11}, {6, 7, 8, 9, 10}, {0, 1, 2, 3, 4}, {1, 2, 3, 4, 5}}}},
      {"chunk-wise as in the paper",
       {.sink_frames = 3, .fifo_frames = 6},
       BlockLayout(15, 3),
       /*train_frames=*/12,
       {{{0, 3}, {0, 1, 2}, {0, 1, 2}, {0, 1, 2}},
        {{3, 6}, {0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 5}},
        {{6, 9}, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {0, 1, 2, 3, 4, 5, 6, 7, 8}},
        {{9, 12},
         {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
         {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
         {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
        {{12, 15},
         {0, 1, 2, 6, 7, 8, 9, 10, 11, 12, 13, 14},
         {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
         {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}}},
  };
}

}  // namespace sgf::testing
