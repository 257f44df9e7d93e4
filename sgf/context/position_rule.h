// At which temporal RoPE position a block reads a frame. Both passes and streaming use this one type.
#pragma once

#include "sgf/context/context_policy.h"
#include "sgf/core/enum_names.h"

#include <array>
#include <cstdint>
#include <vector>

namespace sgf {

enum class PositionKind {
  kAbsolute,    // a frame's own index: training, Pass 2, short videos
  kContiguous,  // 0..n-1 over the frames that the block sees, then its own
  kTopAligned,  // sink at 0..S-1; FIFO and block end at min(last frame, train_frames - 1)
};

constexpr auto enum_names(PositionKind) {
  return std::array{EnumName{PositionKind::kAbsolute, "absolute"}, EnumName{PositionKind::kContiguous, "contiguous"},
                    EnumName{PositionKind::kTopAligned, "top_aligned"}};
}

// position(reading block, frame). Only `kAbsolute` gives a frame one position for all readers.
struct PositionRule {
  PositionKind kind = PositionKind::kAbsolute;
  int64_t train_frames = 0;  // the trained range; used only by kTopAligned

  int64_t position(const ContextPolicy& policy, FrameSpan reader, int64_t frame) const;

  // Positions of everything that `reader` attends to, in order of time: sink, recent, its own frames.
  std::vector<int64_t> positions(const ContextPolicy& policy, FrameSpan reader) const;

  // Positions of the reader's own frames, which its queries use.
  std::vector<int64_t> own_positions(const ContextPolicy& policy, FrameSpan reader) const;

  bool operator==(const PositionRule&) const = default;
};

}  // namespace sgf
