// How VBench-Long splits a video into clips.
#pragma once

#include "sgf/core/frame_span.h"

#include <cstdint>
#include <vector>

namespace sgf {

struct ClipPlan {
  std::vector<FrameSpan> clips;  // frames [begin, end)
  double fps = 0;                // of each clip: the video's rate, truncated to an integer
  bool is_whole = false;         // too short to be split: one clip with all frames, however few
};

// Clips of int(fps) * seconds frames. If frames are left over, one more full-length clip ends with the last frame and
// overlaps the previous clip.
ClipPlan split_into_clips(double fps, int64_t pictures, int64_t seconds);

}  // namespace sgf
