#include "sgf/context/context_policy.h"

#include "sgf/core/error.h"

#include <algorithm>

namespace sgf {

std::vector<FrameSpan> ContextView::runs() const {
  if (sink.empty() && recent.empty()) return {};
  if (sink.empty()) return {recent};
  if (recent.empty()) return {sink};
  if (sink.end == recent.begin) return {{sink.begin, recent.end}};
  return {sink, recent};
}

ContextPolicy ContextPolicy::everything() {
  // Far above any stream, far below overflow.
  return {.sink_frames = 0, .fifo_frames = int64_t{1} << 60};
}

ContextView ContextPolicy::visible_to(FrameSpan block) const {
  const int64_t a = block.begin;
  const FrameSpan sink{0, std::min(sink_frames, a)};
  const int64_t recent_begin = std::min(a, std::max(sink_frames, a - fifo_frames));
  return {.sink = sink, .recent = {recent_begin, a}};
}

void ContextPolicy::validate() const {
  check(sink_frames >= 0 && fifo_frames >= 0, "context", "sink and FIFO count frames, got sink {} and FIFO {}",
        sink_frames, fifo_frames);
}

}  // namespace sgf
