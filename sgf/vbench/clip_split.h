// How VBench-Long cuts a video into clips.
#pragma once

#include "sgf/core/frame_span.h"

#include <cstdint>
#include <vector>

namespace sgf {

struct ClipPlan {
  std::vector<FrameSpan> clips;  // pictures [begin, end)
  double fps = 0;                // of each clip: the video's without what is behind the point
  bool is_whole = false;         // too short to be cut: one clip of all pictures, however few
};

// Clips of int(fps) * seconds pictures. Where some are left over, one more clip of full length ends with the last
// picture and overlaps the one before.
ClipPlan split_into_clips(double fps, int64_t pictures, int64_t seconds);

}  // namespace sgf
