// Denoises a block in a few steps. Pass 1 and streaming call this one function.
#pragma once

#include "sgf/core/frame_span.h"
#include "sgf/model/causal_dit.h"
#include "sgf/schedule/sigma_rule.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace sgf {

struct NoiseKey;

// Noise for a block. Draw 0 is the initial noise; draw k renoises the prediction of step k for step k + 1.
using BlockNoise = std::function<at::Tensor(FrameSpan block, int64_t draw)>;

// For `count` samples from key.sample on, with latents [C, H, W]. The key's block is the block's first frame, its step
// is the draw. The noise of a sample does not depend on the other samples of the batch.
BlockNoise noise_by_key(const NoiseKey& key, int64_t count, at::IntArrayRef latent, at::TensorOptions options);

// The same for generated videos: numbers `first`, `first` + 1, ... of the seed.
BlockNoise sample_noise(uint64_t seed, int64_t count, at::IntArrayRef latent, at::TensorOptions options,
                        int64_t first = 0);

struct DenoisedBlock {
  at::Tensor noisy;       // [B, c, C, H, W], network input of the last step
  at::Tensor prediction;  // clean latents that it predicted from it
};

// Called after every step, counted from 1.
using StepSeen = std::function<void(int64_t step, const DenoisedBlock& block)>;

// Predicts the clean latents from noisy ones [B, c, C, H, W] of that noise level.
using BlockPrediction = std::function<at::Tensor(const at::Tensor& noisy, NoiseLevel level)>;

// The timestep of that level for every frame of a block [B, c, C, H, W]: [B, c].
at::Tensor block_timesteps(const at::Tensor& noisy, NoiseLevel level);

// One step: the clean latents that the network predicts for `noisy` [B, c, C, H, W].
at::Tensor predict_block(const CausalDit& dit, const PromptText& text, const Serial& context, const at::Tensor& noisy,
                         NoiseLevel level);

// The denoising steps of a block: the first `steps` of `timesteps`, t = 1000 first.
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
