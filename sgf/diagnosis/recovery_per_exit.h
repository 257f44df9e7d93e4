// How faithfully Pass 2 repeats Pass 1, exit step by exit step: the paper's appendix table.
#pragma once

#include "sgf/model/causal_dit.h"
#include "sgf/reconstruction/recovery_report.h"
#include "sgf/rollout/record_file.h"
#include "sgf/rollout/roll_out.h"

#include <cstdint>
#include <filesystem>
#include <functional>

namespace sgf {

// Rollouts by number: each with noise and text rows [B, L, text_dim] of its own.
struct RecoverySetting {
  const CausalDit& dit;
  RolloutSettings rollout;
  std::function<BlockNoise(int64_t number)> noise;
  std::function<at::Tensor(int64_t number)> text;
  int64_t noises = 8;
  // Sees every record, to keep it; may be empty.
  std::function<void(int64_t exit, int64_t number, const SavedRecord& saved)> on_record;
};

struct ExitRecovery {
  int64_t exit = 0;
  double timestep = 0;
  int64_t noises = 0;
  RecoveryReport report;        // means over the noises; of max_abs the largest
  double flow_relative_l2 = 0;  // of the network's own output, which x0 = x - sigma v was made from
};

// Both passes at one exit step, counted from 1. No graph is kept.
ExitRecovery measure_recovery(const RecoverySetting& setting, int64_t exit);

// A kept record reconstructed by this network.
ExitRecovery replay_recovery(const CausalDit& dit, const SavedRecord& saved);

}  // namespace sgf
