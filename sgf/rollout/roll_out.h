// Pass 1: the video, block by block, without gradient, recorded at the exit step.
#pragma once

#include "sgf/rollout/cache_latents.h"
#include "sgf/rollout/denoise_block.h"
#include "sgf/rollout/exit_record.h"
#include "sgf/rollout/exit_steps.h"

#include <cstdint>
#include <vector>

namespace sgf {

struct RolloutSettings {
  ContextPolicy policy;
  BlockLayout layout;
  std::vector<double> timesteps;  // the student's warped list, noisiest first
  CacheLatents cache = CacheLatents::kExit;
  PositionRule positions;  // absolute in training: Pass 2 knows no other
  SigmaRule sigma;
  // Share of noise in what is written to the cache. The public code trains with the sigma that its table finds at t = 0
  // and streams without.
  double context_sigma = 0;

  // The draw of BlockNoise that goes onto the context: the one after those of the steps.
  int64_t context_draw() const { return static_cast<int64_t>(timesteps.size()); }
};

// What is written to the cache for a block of clean latents.
at::Tensor context_latents(const at::Tensor& clean, FrameSpan block, const RolloutSettings& settings,
                           const BlockNoise& noise);

// Every block is denoised and written to the cache at t = 0. `given` [B, n, C, H, W], where it is defined, are the
// first blocks (an image, the end of another video): written, never generated.
ExitRecord roll_out(const CausalDit& dit, const PromptText& text, const RolloutSettings& settings,
                    const ExitSteps& exits, const BlockNoise& noise, const at::Tensor& given = {});

}  // namespace sgf
