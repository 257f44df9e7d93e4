// Makes the ODE pairs that a config's stage learns from: a teacher's paths from noise to data, in shards of a folder.
#pragma once

#include "sgf/config/config.h"
#include "sgf/core/progress_line.h"
#include "sgf/dataset/pair_manifest.h"

#include <filesystem>
#include <string>

namespace sgf {

struct PairRequest {
  Config config;        // of the causal_ode or bidirectional_ode run that will read them
  std::string teacher;  // weights or a run folder: teacher-forced for causal_ode, else bidirectional
  std::filesystem::path out;
  int64_t count = 0;
  int64_t per_shard = 64;
  double guidance = 6;
  int64_t steps = 48;
  int64_t worker = 0;  // of `workers`: shards are dealt out in turn
  int64_t workers = 1;
  ProgressMode progress = ProgressMode::kLog;
  ProgressOutput output = {};
};

struct PairResult {
  int64_t made = 0;   // shards, by this call
  int64_t whole = 0;  // shards of the folder that are whole now
  int64_t shards = 0;
  bool was_stopped = false;  // a signal asked for it
};

// Shards that are whole, by their hash, are kept; others are made anew, the same to the bit. Once all are whole the
// folder gets its manifest.
PairResult make_pairs(const PairRequest& request);

}  // namespace sgf
