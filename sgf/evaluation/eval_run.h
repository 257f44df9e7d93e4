// An evaluation from a list of videos to a result that tables are made of: what `sgf eval` does.
#pragma once

#include "sgf/evaluation/eval_switches.h"
#include "sgf/evaluation/video_list.h"
#include "sgf/vbench/metric_names.h"

#include <c10/core/Device.h>
#include <nlohmann/json.hpp>

#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace sgf {

// Somebody asked to stop. What was done is kept.
struct EvaluationStopped : std::exception {
  const char* what() const noexcept override { return "stopped; the scores so far are kept"; }
};

struct EvalOrder {
  std::vector<ListedVideo> videos;
  std::vector<VbenchMetric> metrics = all_vbench_metrics();
  EvalSwitches switches;
  std::set<std::string> static_prompts;  // that the static filter lets through; empty: all
  std::filesystem::path weights;         // VBench's cache folder; empty: where VBench keeps it
  c10::Device device = c10::kCPU;
  std::filesystem::path cache;                // of scores; empty: none
  std::map<std::string, std::string> labels;  // init, method, horizon, setting: what tables go by
  std::string world = "world-tiny";           // the preset of the world protocol
};

struct EvalEvents {
  std::function<void(const std::string&)> warn;
  // Before every clip of every video: how many videos are done, and where in the next one it is. False: stop.
  std::function<bool(int64_t video, int64_t clip, int64_t clips)> go_on;
};

// {"format", "protocol", "switches", "labels", "device", "weights": [{"file", "path", "sha256"}], "unavailable":
// {metric: why}, "videos": rows, "totals": {metric: {"value", ...}}, "ok"}. Not ok: a metric or a video has an error,
// or a metric has no total.
// The world protocol has measures of its own in "totals", under names that are no dimensions of VBench.
// EvaluationStopped goes through.
nlohmann::json evaluate(const EvalOrder& order, const EvalEvents& events);

}  // namespace sgf
