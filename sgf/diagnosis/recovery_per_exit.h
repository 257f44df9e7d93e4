// How closely Pass 2 reproduces Pass 1, per exit step: the paper's appendix table.
#pragma once

#include "sgf/model/causal_dit.h"
#include "sgf/reconstruction/recovery_report.h"
#include "sgf/rollout/record_file.h"
#include "sgf/rollout/roll_out.h"

#include <cstdint>
#include <filesystem>
#include <functional>

namespace sgf {

// Rollouts by number, each with its own noise and text embeddings [B, L, text_dim].
struct RecoverySettings {
  const CausalDit& dit;
  RolloutSettings rollout;
  std::function<BlockNoise(int64_t number)> noise;
  std::function<at::Tensor(int64_t number)> text;
  int64_t noises = 8;
  // Called with every record, e.g. to store it; may be empty.
  std::function<void(int64_t exit, int64_t number, const SavedRecord& saved)> on_record;
};

struct ExitRecovery {
  int64_t exit = 0;
  double timestep = 0;
  int64_t noises = 0;
  RecoveryReport report;        // means over the noises, except max_abs: the largest
  double flow_relative_l2 = 0;  // of the network output v, from which x0 = x - sigma v is computed
};

// Both passes at one exit step, counted from 1. No graph is kept.
ExitRecovery measure_recovery(const RecoverySettings& setting, int64_t exit);

// Reconstructs a stored record with this network.
ExitRecovery replay_recovery(const CausalDit& dit, const SavedRecord& saved);

}  // namespace sgf
