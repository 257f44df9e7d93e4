// Pass 1: the video, block by block, without gradient, recorded at the exit step.
#pragma once

#include "sgf/rollout/denoise_block.h"
#include "sgf/rollout/exit_record.h"

namespace sgf {

struct RolloutSettings {
  ContextPolicy policy;
  BlockLayout layout;
  std::vector<double> timesteps;  // the student's warped list, noisiest first
};

// Every block is denoised to `exit_step` (1-based) and its prediction written to the cache at t = 0.
ExitRecord roll_out(const CausalDit& dit, const PromptText& text, const RolloutSettings& settings, int64_t exit_step,
                    const BlockNoise& noise);

}  // namespace sgf
