// A training run from its config to its last step: folder, resume, loop, and output.
#pragma once

#include "sgf/config/config.h"
#include "sgf/core/log.h"
#include "sgf/core/progress_line.h"
#include "sgf/training/distributed/ranks.h"

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace sgf {

struct TrainRequest {
  Config config;
  std::filesystem::path out;
  bool resume = false;           // continue the run in `out`; without one, start a new run
  int64_t stop_after_steps = 0;  // stop after this many steps of this start; 0: at train.steps
  nlohmann::json facts;          // facts of this start: build, command line
  ProgressMode progress = ProgressMode::kLog;
  ProgressOutput output = {};
  Log warn = {};  // gets warnings of damage if progress is quiet
};

enum class TrainEnd {
  kDone,     // all train.steps are made
  kStopped,  // by a signal or stop_after_steps; a checkpoint was written
  kUnsound,  // too many skipped updates, or the passes do not match; a checkpoint was written
};

struct TrainResult {
  TrainEnd end = TrainEnd::kDone;
  int64_t steps_done = 0;  // of the whole run
  std::string reason;      // why it is not done
};

// Throws if the config cannot continue the run in the folder, if there is one; the message lists the differences.
void check_goes_on(const std::filesystem::path& run, const Config& config);

// Called on every rank; only the first one writes to the folder.
TrainResult run_training(const TrainRequest& request, const Ranks& ranks = Ranks::alone());

}  // namespace sgf
