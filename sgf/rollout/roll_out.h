// Pass 1: generates the video block by block without gradient, and records the exit step.
#pragma once

#include "sgf/rollout/cache_latents.h"
#include "sgf/rollout/denoise_block.h"
#include "sgf/rollout/exit_record.h"
#include "sgf/rollout/exit_steps.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sgf {

struct RolloutSettings {
  ContextPolicy policy;
  BlockLayout layout;
  std::vector<double> timesteps;  // the student's warped list, noisiest first
  CacheLatents cache = CacheLatents::kExit;
  PositionRule positions;  // absolute in training: Pass 2 supports no other
  SigmaRule sigma;
  // Share of noise in the latents written to the cache. The public code trains with its table's sigma at t = 0 and
  // streams with 0.
  double context_sigma = 0;
  std::vector<double> first_timesteps;  // of the first block, if it has steps of its own; empty: timesteps

  bool has_own_steps(FrameSpan block) const { return block.begin == 0 && !first_timesteps.empty(); }
  const std::vector<double>& timesteps_of(FrameSpan block) const {
    return has_own_steps(block) ? first_timesteps : timesteps;
  }

  // The exits of a block. Where those of a first block with steps of its own are not given, it exits as many steps
  // before its last one as the others do.
  ExitSteps exits_of(FrameSpan block, const ExitSteps& exits) const;
  // How many steps a rollout computes in a block.
  int64_t steps_taken(FrameSpan block, const ExitSteps& exits) const;

  // The draw of BlockNoise for the context noise: the one after the draws of the steps.
  int64_t context_draw() const { return static_cast<int64_t>(std::max(timesteps.size(), first_timesteps.size())); }
};

// The latents to write to the cache for a block of clean latents.
at::Tensor context_latents(const at::Tensor& clean, FrameSpan block, const RolloutSettings& settings,
                           const BlockNoise& noise);

// A prompt as rollouts take it, without graph. `rows` are the text encoder's.
PromptText prompt_for_rollout(const CausalDit& dit, const at::Tensor& rows);

// Every block is denoised and written to the cache at t = 0. `given` [B, n, C, H, W], if defined, are the first blocks
// (an image, or the end of another video): written to the cache, not generated.
ExitRecord roll_out(const CausalDit& dit, const PromptText& text, const RolloutSettings& settings,
                    const ExitSteps& exits, const BlockNoise& noise, const at::Tensor& given = {});

}  // namespace sgf
