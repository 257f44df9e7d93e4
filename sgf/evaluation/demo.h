// A tour in minutes: Self Forcing and Self Gradient Forcing as a matched pair on the smallest world, from the same
// shipped weights, trained live, rolled out longer than they were trained, measured, on one page.
#pragma once

#include "sgf/core/config.h"
#include "sgf/data/world_measure.h"
#include "sgf/evaluation/boundary_gap.h"
#include "sgf/training/train_run.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace sgf {

struct DemoSettings {
  Config config;                     // the world, the shared start (train.start_from, dmd.teacher), the steps
  std::filesystem::path out;         // emptied of an earlier demo
  int64_t rollout_frames = 168;      // 8 times what was trained
  std::vector<std::string> prompts;  // that nobody trains on
  ProgressMode progress = ProgressMode::kLog;
  std::function<void(const std::string&)> say;
};

// One contestant's long rollout, measured.
struct DemoRow {
  std::string name;
  SegmentScore first;  // the trained length
  SegmentScore last;   // the end of the rollout
};

struct DemoResult {
  BoundaryGap gap;
  std::vector<DemoRow> rows;  // start, Self Forcing, Self Gradient Forcing, true clips
  std::filesystem::path page;
};

DemoResult run_demo(const DemoSettings& settings);

}  // namespace sgf
