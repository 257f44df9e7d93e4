// Sample videos of a few-step student, block by block with all denoising steps.
#pragma once

#include "sgf/rollout/roll_out.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace sgf {

// Latents [B, F, C, H, W] for text [B, L, text_dim]; `given` first blocks as in roll_out. No graph is kept.
at::Tensor sample_in_few_steps(const CausalDit& student, const at::Tensor& text, const RolloutSettings& settings,
                               const BlockNoise& noise, const at::Tensor& given = {});

}  // namespace sgf
