#include "lab/demo/live_pair.h"

#include "sgf/core/error.h"
#include "sgf/runs/metrics_log.h"
#include "sgf/training/run/train_run.h"

#include <array>

namespace sgf {
namespace {

struct LiveRun {
  const char* name;
  const char* words;
  const char* folder;
  GradientBoundary boundary;
};

constexpr std::array kLiveRuns{
    LiveRun{"SF", "Self Forcing", "self_forcing", GradientBoundary::kFrozenContext},
    LiveRun{"SGF", "Self Gradient Forcing", "self_gradient_forcing", GradientBoundary::kOpenContext},
};

DemoArm train_live(const LivePairOrder& order, const LiveRun& run) {
  Config config = order.config;
  config.name = run.folder;
  config.dmd.boundary = run.boundary;
  const std::filesystem::path folder = order.out / run.folder;
  order.say(fmt::format("  {}: {} updates at batch {}", run.words, config.train.steps, config.train.global_batch));
  const TrainResult result = run_training(
      {.config = config, .out = folder, .facts = {{"demo", true}}, .progress = order.progress, .output = order.output});
  SGF_CHECK(result.end == TrainEnd::kDone, "the demo's {} run ended after update {}: {}", run.words, result.steps_done,
            result.reason);
  return {run.name, read_metrics(folder / "metrics.jsonl").rows};
}

}  // namespace

std::vector<std::string> live_run_names() { return {kLiveRuns[0].folder, kLiveRuns[1].folder}; }

std::vector<DemoArm> train_live_pair(const LivePairOrder& order) {
  std::vector<DemoArm> arms;
  for (const LiveRun& run : kLiveRuns) arms.push_back(train_live(order, run));
  return arms;
}

}  // namespace sgf
