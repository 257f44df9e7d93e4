// The scores of one video by VBench's metrics. Each clip is read once for all metrics without a cached score.
#pragma once

#include "sgf/evaluation/clip_pictures.h"
#include "sgf/evaluation/eval_run.h"
#include "sgf/evaluation/eval_switches.h"
#include "sgf/evaluation/score_cache.h"
#include "sgf/evaluation/video_list.h"
#include "sgf/media/frame_source.h"
#include "sgf/vbench/clip_scores.h"
#include "sgf/vbench/vbench_networks.h"

#include <ATen/core/Tensor.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace sgf {

// The next frames, at most `most`: uint8 [F, H, W, 3] on the CPU, F = 0 after the last.
at::Tensor next_pictures(FrameSource& source, int64_t most);

struct ScoringSettings {
  std::vector<VbenchMetric> metrics;
  EvalSwitches switches;
  std::map<std::string, std::string> weights;  // SHA-256 of existing files, by path in VBench's cache
  at::Device device = at::kCPU;
  int64_t batch = 8;  // frames per batch
};

class VideoScorer {
 public:
  VideoScorer(ScoringSettings setting, VbenchNetworks& networks, ScoreCache cache, StaticClipChoice choice)
      : setting_(std::move(setting)), networks_(networks), cache_(std::move(cache)), choice_(std::move(choice)) {}

  // Called before every clip; false: stop.
  using GoOn = std::function<bool(int64_t clip, int64_t clips)>;

  // {"file", "prompt", "sha256", "width", "height", "frames", "fps", "metrics": {name: {"value", "clips": [{"begin",
  // "end", "score", "weight"}]}}}. A metric that cannot be computed has an "error", and so has the row of an unreadable
  // video.
  nlohmann::json score(const ListedVideo& video, const GoOn& go_on);

 private:
  struct Task;
  struct Video;

  Video open_video(const ListedVideo& video) const;
  Task task(std::string name, const std::vector<const VbenchFile*>& files, const Video& video) const;
  std::vector<Task> clip_tasks(const Video& video);
  void run_clip(std::vector<Task>& tasks, Video& video, size_t clip);
  void feed(FrameSource& source, std::vector<Task*> tasks) const;
  nlohmann::json between_clips(VbenchMetric metric, Video& video);
  nlohmann::json entry_of(VbenchMetric metric, const std::vector<Task>& tasks, Video& video);
  void count_static_clips(nlohmann::json& entry, const std::vector<Task>& tasks, const Video& video);

  ScoringSettings setting_;
  VbenchNetworks& networks_;
  ScoreCache cache_;
  StaticClipChoice choice_;
};

// SHA-256 of a video file's bytes, or of the names and bytes of a folder's files.
std::string video_identity(const std::filesystem::path& file);

}  // namespace sgf
