// Clips of one video, as frames of one size and rate.
#pragma once

#include "sgf/dataset/clip_manifest.h"
#include "sgf/dataset/resampled_frames.h"

#include <ATen/core/Tensor.h>

#include <deque>
#include <filesystem>
#include <memory>

namespace sgf {

// Holds the frames of one clip. Throws Error if the file is not a video, is damaged, or is too short for a clip, as
// soon as that is known.
class ClipReader {
 public:
  ClipReader(const std::filesystem::path& video, const ClipCut& cut);

  // [frames, 3, height, width], float32 in [0, 1]; undefined after the last clip. Remaining frames that do not fill a
  // clip are left out.
  at::Tensor next();

 private:
  bool fill();

  std::filesystem::path video_;
  ClipCut cut_;
  std::unique_ptr<FrameSource> source_;
  ResampledFrames frames_;
  std::deque<at::Tensor> pictures_;  // starting with the next clip
  int64_t given_ = 0;
};

}  // namespace sgf
