#include "sgf/vbench/clip_split.h"

#include "sgf/core/error.h"

#include <cmath>

namespace sgf {

ClipPlan split_into_clips(double fps, int64_t pictures, int64_t seconds) {
  SGF_CHECK(fps >= 1 && fps <= 100000, "frames per second must be 1 to 100000 to split a video into clips, got {}",
            fps);
  SGF_CHECK(pictures > 0 && seconds > 0, "a video of {} frames cannot be split into clips of {} s", pictures, seconds);
  ClipPlan plan{.clips = {}, .fps = std::floor(fps), .is_whole = false};
  const int64_t length = static_cast<int64_t>(plan.fps) * seconds;
  plan.is_whole = pictures < length;
  if (plan.is_whole) {
    plan.clips.push_back({0, pictures});
    return plan;
  }
  for (int64_t begin = 0; begin + length <= pictures; begin += length) plan.clips.push_back({begin, begin + length});
  if (pictures % length != 0) plan.clips.push_back({pictures - length, pictures});
  return plan;
}

}  // namespace sgf
