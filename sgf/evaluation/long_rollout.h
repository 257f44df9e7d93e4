// A video far longer than training's, by the denoising steps and the position rule of the config.
#pragma once

#include "sgf/core/config.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <string>

namespace sgf {

// Latents [B, frames, C, H, W] for text rows [B, L, text_dim]; `weights` as train.start_from takes them.
at::Tensor long_rollout(const Config& config, const std::string& weights, const at::Tensor& text, int64_t frames,
                        c10::Device device);

}  // namespace sgf
