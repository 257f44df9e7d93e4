// The demo's long videos: prompts, streams of the students, true clips, and scores.
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
  // `frames` latent frames, a multiple of video.frames, for each of `prompts` prompts.
  LongVideos(const Config& config, int64_t frames, int64_t prompts, c10::Device device);

  const std::vector<std::string>& prompts() const { return prompts_; }

  // [prompts, frames, 3, H, W] in [0, 1] on the host. All students get the same noise.
  at::Tensor of_student(const std::string& weights, ProgressMode progress, const ProgressOutput& output) const;
  at::Tensor of_world() const;

  // Scores per training length.
  ScoreTable measure_all(const at::Tensor& videos, int64_t threads) const;

  // One mark per frame of the video [F, 3, H, W] of one prompt.
  std::vector<FrameMark> mark_frames(const at::Tensor& video, size_t prompt) const;

 private:
  Config config_;
  c10::Device device_;
  WorldPreset world_;
  WatchedFrames watched_;  // all frames
  std::vector<std::string> prompts_;
};

}  // namespace sgf
