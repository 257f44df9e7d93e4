// Clips of one video, as pictures of one size and rate.
#pragma once

#include "sgf/dataset/clip_manifest.h"
#include "sgf/dataset/resampled_frames.h"

#include <ATen/core/Tensor.h>

#include <deque>
#include <filesystem>
#include <memory>

namespace sgf {

// Holds the pictures of one clip. A file that is no video, is damaged, or too short for a clip is an Error when that
// shows.
class ClipReader {
 public:
  ClipReader(const std::filesystem::path& video, const ClipCut& cut);

  // [frames, 3, height, width], float32 in [0, 1]; undefined after the last. Pictures at the end that are too few for
  // a clip are left out.
  at::Tensor next();

 private:
  bool fill();

  std::filesystem::path video_;
  ClipCut cut_;
  std::unique_ptr<FrameSource> source_;
  ResampledFrames frames_;
  std::deque<at::Tensor> pictures_;  // from the beginning of the next clip on
  int64_t given_ = 0;
};

}  // namespace sgf
