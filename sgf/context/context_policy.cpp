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
  // Far above any stream length, far below overflow.
  return {.sink_frames = 0, .fifo_frames = int64_t{1} << 60};
}

ContextView ContextPolicy::visible_to(FrameSpan block) const {
  const int64_t a = block.begin;
  const int64_t oldest = std::max(a - fifo_frames, recent_begin);  // start of the FIFO
  if (sink_begin > 0 && oldest < sink_begin)
    return {.sink = {}, .recent = {std::min(a, std::max<int64_t>(oldest, 0)), a}};
  const FrameSpan seen_sink{sink_begin, std::min(sink().end, a)};
  return {.sink = seen_sink, .recent = {std::min(a, std::max(sink().end, oldest)), a}};
}

void ContextPolicy::validate() const {
  SGF_CHECK(sink_frames >= 0 && fifo_frames >= 0, "sink and FIFO must not be negative, got sink {} and FIFO {}",
            sink_frames, fifo_frames);
  SGF_CHECK(sink_begin >= 0 && recent_begin >= 0,
            "sink and FIFO must start at frame 0 or later, got a sink from {} and a FIFO from {}", sink_begin,
            recent_begin);
}

}  // namespace sgf
