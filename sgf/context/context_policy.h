// Which history a block may attend to. The serial cache and the Pass-2 mask both ask this one type.
#pragma once

#include "sgf/core/frame_span.h"

#include <cstdint>
#include <vector>

namespace sgf {

// The frames a block sees before itself: the sink, then the recent ones, disjoint and in order of time.
struct ContextView {
  FrameSpan sink;
  FrameSpan recent;

  int64_t frames() const { return sink.frames() + recent.frames(); }
  bool contains(int64_t frame) const { return sink.contains(frame) || recent.contains(frame); }
  // The same frames as few runs as possible: none, one where the two parts touch, or two.
  std::vector<FrameSpan> runs() const;
  bool operator==(const ContextView&) const = default;
};

// Sink-plus-FIFO context: the first `sink_frames` stay forever, the last `fifo_frames` before a block roll.
struct ContextPolicy {
  int64_t sink_frames = 0;
  int64_t fifo_frames = 0;

  // Every earlier frame, as in teacher forcing.
  static ContextPolicy everything();

  // Block [a, b) sees [0, min(S, a)) and [max(S, a - W), a), whether or not S and W are whole blocks.
  ContextView visible_to(FrameSpan block) const;
  void validate() const;
  bool operator==(const ContextPolicy&) const = default;
};

}  // namespace sgf
