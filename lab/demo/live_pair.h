// The pair that the demo trains while one looks on: two runs from the same student that differ in the boundary alone.
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
  std::filesystem::path out;  // run folders come here, under live_run_names()
  ProgressMode progress = ProgressMode::kLog;
  ProgressOutput output = {};
  std::function<void(const std::string&)> say;
};

// Folders of the two runs, SF's first.
std::vector<std::string> live_run_names();

// What each run measured, SF's first. A run that does not come to its end is an Error.
std::vector<DemoArm> train_live_pair(const LivePairOrder& order);

}  // namespace sgf
