// Makes the ODE pairs for a config's stage: a teacher's paths from noise to data, in a folder of shards.
#pragma once

#include "sgf/config/config.h"
#include "sgf/core/progress_line.h"
#include "sgf/dataset/pair_manifest.h"

#include <filesystem>
#include <string>

namespace sgf {

struct PairRequest {
  Config config;        // of the causal_ode or bidirectional_ode run that will use them
  std::string teacher;  // weights or a run folder: teacher-forced for causal_ode, else bidirectional
  std::filesystem::path out;
  int64_t count = 0;
  int64_t per_shard = 64;
  double guidance = 6;
  int64_t steps = 48;
  int64_t worker = 0;  // of `workers`: shards are distributed in turn
  int64_t workers = 1;
  ProgressMode progress = ProgressMode::kLog;
  ProgressOutput output = {};
};

struct PairResult {
  int64_t made = 0;   // shards made by this call
  int64_t whole = 0;  // complete shards in the folder now
  int64_t shards = 0;
  bool was_stopped = false;  // by a signal
};

// Keeps complete shards, as checked by their hash; makes the others, with identical bits. Writes the manifest once all
// shards are complete.
PairResult make_pairs(const PairRequest& request);

}  // namespace sgf
