#include "lab/study/watched_frames.h"

#include "sgf/core/error.h"

#include <algorithm>
#include <set>

namespace sgf {

WatchedFrames::WatchedFrames(int64_t train_frames, int64_t window_frames, const std::vector<int64_t>& lengths) {
  SGF_CHECK(train_frames > 0 && window_frames > 0 && !lengths.empty(),
            "watched frames need a positive training length and window and at least one segment, got {}, {} and {}",
            train_frames, window_frames, lengths.size());
  std::set<int64_t> frames;
  for (int64_t frame = 0; frame < window_frames; ++frame) frames.insert(frame);
  for (const int64_t length : lengths)
    for (int64_t frame = (length - 1) * train_frames; frame < length * train_frames; ++frame) frames.insert(frame);
  frames_.assign(frames.begin(), frames.end());
  for (const int64_t length : lengths)
    segments_.push_back(places_in({(length - 1) * train_frames, length * train_frames}));
}

FrameSpan WatchedFrames::places_in(FrameSpan span) const {
  const auto place = [&](int64_t frame) { return std::ranges::lower_bound(frames_, frame) - frames_.begin(); };
  return {place(span.begin), place(span.end)};
}

std::vector<FrameSpan> WatchedFrames::runs() const {
  std::vector<FrameSpan> runs;
  for (const int64_t frame : frames_) {
    if (!runs.empty() && runs.back().end == frame)
      ++runs.back().end;
    else
      runs.push_back({frame, frame + 1});
  }
  return runs;
}

}  // namespace sgf
