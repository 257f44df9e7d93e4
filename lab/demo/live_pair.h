// The matched pair that the demo trains: two runs from the same student that differ only in the gradient boundary.
#pragma once

#include "lab/demo/demo_page.h"
#include "sgf/config/config.h"
#include "sgf/core/progress_line.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace sgf {

struct LivePairOrder {
  Config config;
  std::filesystem::path out;  // holds the run folders, named by live_run_names()
  ProgressMode progress = ProgressMode::kLog;
  ProgressOutput output = {};
  std::function<void(const std::string&)> say;
};

// Folders of the two runs, SF's first.
std::vector<std::string> live_run_names();

// The metrics of each run, SF's first. Throws Error if a run stops early.
std::vector<DemoArm> train_live_pair(const LivePairOrder& order);

}  // namespace sgf
