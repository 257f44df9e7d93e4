// Sample videos of a few-step student: all its denoising steps, block by block.
#pragma once

#include "sgf/rollout/roll_out.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace sgf {

// Noise of sample videos `first` to `first + batch - 1` with latents [C, H, W]: a function of the seed, the sample, the
// block and the draw.
BlockNoise sample_noise(uint64_t seed, int64_t batch, const std::vector<int64_t>& latent, at::TensorOptions options,
                        int64_t first = 0);

// Latents [B, F, C, H, W] of text [B, L, text_dim]; `given` first blocks as in roll_out. No graph is kept.
at::Tensor sample_in_few_steps(const CausalDit& student, const at::Tensor& text, const RolloutSettings& settings,
                               const BlockNoise& noise, const at::Tensor& given = {});

}  // namespace sgf
