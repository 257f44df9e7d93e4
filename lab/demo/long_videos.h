// The demo's long videos: prompts of their own, the students' streams of them, true clips, and their scores.
#pragma once

#include "lab/demo/demo_timeline.h"
#include "lab/study/watched_frames.h"
#include "sgf/config/config.h"
#include "sgf/core/progress_line.h"
#include "sgf/evaluation/segment_metrics.h"
#include "sgf/world/preset.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <string>
#include <vector>

namespace sgf {

class LongVideos {
 public:
  // So many frames, whole training lengths of the config's, of so many prompts.
  LongVideos(const Config& config, int64_t frames, int64_t prompts, c10::Device device);

  const std::vector<std::string>& prompts() const { return prompts_; }

  // [prompts, frames, 3, H, W] in [0, 1] on the host. Each student gets the same noise.
  at::Tensor of_student(const std::string& weights, ProgressMode progress, const ProgressOutput& output) const;
  at::Tensor of_world() const;

  // By training length, on so many threads.
  ScoreTable measure_all(const at::Tensor& videos, int64_t threads) const;

  // Of one prompt's video [F, 3, H, W].
  std::vector<FrameMark> mark_frames(const at::Tensor& video, size_t prompt) const;

 private:
  Config config_;
  c10::Device device_;
  WorldPreset world_;
  WatchedFrames watched_;  // all of them
  std::vector<std::string> prompts_;
};

}  // namespace sgf
