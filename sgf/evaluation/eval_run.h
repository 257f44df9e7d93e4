// Evaluates a list of videos for `sgf eval`; tables are made from the result.
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

// Thrown on a request to stop. Scores so far are kept.
struct EvaluationStopped : std::exception {
  const char* what() const noexcept override { return "stopped; the scores so far are kept"; }
};

struct EvalOrder {
  std::vector<ListedVideo> videos;
  std::vector<VbenchMetric> metrics = all_vbench_metrics();
  EvalSwitches switches;
  std::set<std::string> static_prompts;  // prompts accepted by the static filter; empty: all
  std::filesystem::path weights;         // VBench's cache folder; empty: VBench's default
  c10::Device device = c10::kCPU;
  std::filesystem::path cache;                // of scores; empty: no cache
  std::map<std::string, std::string> labels;  // init, method, horizon, setting: rows and columns of tables
  std::string world = "world-tiny";           // the preset of the world protocol
};

struct EvalEvents {
  std::function<void(const std::string&)> warn;
  // Called before every clip: number of finished videos, and position in the current one. False: stop.
  std::function<bool(int64_t video, int64_t clip, int64_t clips)> go_on;
};

// {"format", "protocol", "switches", "labels", "device", "weights": [{"file", "path", "sha256"}], "unavailable":
// {metric: why}, "videos": rows, "totals": {metric: {"value", ...}}, "ok"}. "ok" is false if a metric or a video has an
// error, or a metric has no total. The world protocol has its own metrics in "totals", under names that differ from
// VBench's dimensions. EvaluationStopped is passed on.
nlohmann::json evaluate(const EvalOrder& order, const EvalEvents& events);

}  // namespace sgf
