// A differentiable serial rollout: the baseline that Self Gradient Forcing avoids, for measurements.
#pragma once

#include "sgf/rollout/roll_out.h"

namespace sgf {

enum class RolloutGraph {
  kCacheWrites,  // direct differentiable cache: the exit step and every t = 0 write; latents are read as data
  kEverything,   // back-propagation through time: all denoising steps and writes, nothing detached
};

// Exit predictions [B, F, C, H, W] of the rollout that roll_out records, with their graph, which grows with every
// block. The cache holds exit predictions.
at::Tensor roll_out_with_graph(const CausalDit& dit, const PromptText& text, const RolloutSettings& settings,
                               int64_t exit_step, const BlockNoise& noise, RolloutGraph graph);

}  // namespace sgf
