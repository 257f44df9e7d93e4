// The watched frames of an arm's videos: streamed by its student, sampled from the teacher, or drawn by the world.
#pragma once

#include "lab/study/study_arms.h"
#include "lab/study/watched_frames.h"
#include "sgf/config/config.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

// The split of the window; without a sink, that of the config.
struct ContextSplit {
  std::optional<int64_t> sink = {};
};

struct PictureOrder {
  const Study& study;
  StudyArm arm;
  const Config& config;
  std::string weights;  // a file; empty for the truth arm
  c10::Device device;
  const WatchedFrames& watched;
  ContextSplit split;
  std::function<void()> on_block = {};  // called after every block of a student
};

class ArmPictures {
 public:
  explicit ArmPictures(const PictureOrder& order);

  const std::vector<std::string>& captions() const { return captions_; }
  // [count, watched, 3, H, W] in [0, 1] on the host, for the study's prompts `first`, `first` + 1, ... A video depends
  // on its prompt's number, not on its batch.
  at::Tensor of(int64_t first, int64_t count) const { return make_(first, count); }

 private:
  std::vector<std::string> captions_;
  std::function<at::Tensor(int64_t first, int64_t count)> make_;
};

// One row per video: its first frame, and the last frame of each segment. A PNG file in base64.
std::string strip_png(const at::Tensor& videos, const WatchedFrames& watched);

}  // namespace sgf
