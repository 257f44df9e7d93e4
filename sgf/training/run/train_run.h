// A training run from its config to its last step: folder, resume, loop, and what it leaves behind.
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
  bool resume = false;           // go on with the run in `out`; a folder without one starts anew
  int64_t stop_after_steps = 0;  // end in order after so many steps of this start; 0: at train.steps
  nlohmann::json facts;          // build, command line: what to note of this start
  ProgressMode progress = ProgressMode::kLog;
  ProgressOutput output = {};
  Log warn = {};  // hears of damage where progress is quiet
};

enum class TrainEnd {
  kDone,     // train.steps are made
  kStopped,  // asked to by a signal or stop_after_steps; a checkpoint was written
  kUnsound,  // skipped updates or passes that no longer match; a checkpoint was written
};

struct TrainResult {
  TrainEnd end = TrainEnd::kDone;
  int64_t steps_done = 0;  // of the whole run
  std::string reason;      // in words, where it is not done
};

// Refuses a config that could not go on with the run in the folder, if there is one, and names what differs.
void check_goes_on(const std::filesystem::path& run, const Config& config);

// The same call on every rank; the first one alone writes to the folder.
TrainResult run_training(const TrainRequest& request, const Ranks& ranks = Ranks::alone());

}  // namespace sgf
