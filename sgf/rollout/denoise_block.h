// A block from noise to a clean prediction, in a few steps. Pass 1 and streaming call this one function.
#pragma once

#include "sgf/model/causal_dit.h"
#include "sgf/rollout/block_noise.h"
#include "sgf/schedule/sigma_rule.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace sgf {

struct DenoisedBlock {
  at::Tensor noisy;       // [B, c, C, H, W], fed to the model at the last step taken
  at::Tensor prediction;  // the clean latents it predicted there
};

// Told of every step taken, counted from 1.
using StepSeen = std::function<void(int64_t step, const DenoisedBlock& block)>;

// The clean latents predicted for noisy ones [B, c, C, H, W] of that level.
using BlockPrediction = std::function<at::Tensor(const at::Tensor& noisy, NoiseLevel level)>;

// The timestep of that level for every frame of a block [B, c, C, H, W]: [B, c].
at::Tensor block_timesteps(const at::Tensor& noisy, NoiseLevel level);

// One step: the clean latents that the network predicts for `noisy` [B, c, C, H, W].
at::Tensor predict_block(const CausalDit& dit, const PromptText& text, const Serial& context, const at::Tensor& noisy,
                         NoiseLevel level);

// The way of a block from noise to clean: the first `steps` of `timesteps`, t = 1000 first.
struct DenoisingSteps {
  const std::vector<double>& timesteps;
  int64_t steps = 0;
  SigmaRule sigma;

  NoiseLevel level(int64_t step) const { return sigma.level(timesteps.at(static_cast<size_t>(step))); }  // from 0
};

DenoisedBlock denoise_block(const BlockPrediction& predict, FrameSpan block, const DenoisingSteps& way,
                            const BlockNoise& noise, const StepSeen& seen = {});

// The same, predicted by the network alone.
DenoisedBlock denoise_block(const CausalDit& dit, const PromptText& text, const Serial& context,
                            const DenoisingSteps& way, const BlockNoise& noise, const StepSeen& seen = {});

}  // namespace sgf
