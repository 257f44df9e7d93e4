// Which history a block may attend to. The serial cache and the Pass-2 mask both use this one type.
#pragma once

#include "sgf/core/frame_span.h"

#include <cstdint>
#include <vector>

namespace sgf {

// The frames before a block that it sees: the sink, then the recent ones, disjoint and in order of time.
struct ContextView {
  FrameSpan sink;
  FrameSpan recent;

  int64_t frames() const { return sink.frames() + recent.frames(); }
  bool contains(int64_t frame) const { return sink.contains(frame) || recent.contains(frame); }
  // The same frames as the fewest runs: none, one if the two parts touch, or two.
  std::vector<FrameSpan> runs() const;
  bool operator==(const ContextView&) const = default;
};

// Sink-plus-FIFO context: the first `sink_frames` stay forever, the last `fifo_frames` before a block roll. A stream
// whose prompt changes may restart its sink or forget earlier frames; training does neither.
struct ContextPolicy {
  int64_t sink_frames = 0;
  int64_t fifo_frames = 0;
  int64_t sink_begin = 0;    // first frame of the sink
  int64_t recent_begin = 0;  // frames before it are hidden, except those of the sink

  // Every earlier frame, as in teacher forcing.
  static ContextPolicy everything();

  // Block [a, b) sees [0, min(S, a)) and [max(S, a - W), a), whether or not S and W are whole blocks. With a sink that
  // begins later the same holds from there on; while the FIFO still reaches back beyond that point, only the FIFO is
  // visible.
  ContextView visible_to(FrameSpan block) const;
  FrameSpan sink() const { return {sink_begin, sink_begin + sink_frames}; }
  void validate() const;
  bool operator==(const ContextPolicy&) const = default;
};

}  // namespace sgf
