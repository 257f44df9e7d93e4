// The frames of a long video that are kept and measured: the first window, and one training length before each segment
// end. Torch-free.
#pragma once

#include "sgf/core/frame_span.h"

#include <cstdint>
#include <vector>

namespace sgf {

class WatchedFrames {
 public:
  // `lengths` are multiples of `train_frames`: segment k is frames [(k - 1) train_frames, k train_frames).
  WatchedFrames(int64_t train_frames, int64_t window_frames, const std::vector<int64_t>& lengths);

  int64_t video_frames() const { return frames_.back() + 1; }  // the required video length
  const std::vector<int64_t>& frames() const { return frames_; }
  const std::vector<FrameSpan>& segments() const { return segments_; }  // as indices into frames()

  // The indices into frames() that are in `span` of the video.
  FrameSpan places_in(FrameSpan span) const;
  // frames() as the fewest possible spans of the video.
  std::vector<FrameSpan> runs() const;

 private:
  std::vector<int64_t> frames_;  // ascending
  std::vector<FrameSpan> segments_;
};

}  // namespace sgf
