// Noise of a rollout's blocks: a pure function of what it belongs to.
#pragma once

#include "sgf/core/frame_span.h"
#include "sgf/core/noise.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

namespace sgf {

// Noise for a block: draw 0 is where it starts, draw k what takes the prediction of step k to step k + 1.
using BlockNoise = std::function<at::Tensor(FrameSpan block, int64_t draw)>;

// For `count` samples from key.sample on, with latents [C, H, W]; block and step of the key are the block's first frame
// and the draw. A sample's noise does not depend on those beside it.
BlockNoise noise_by_key(const NoiseKey& key, int64_t count, at::IntArrayRef latent, at::TensorOptions options);

// The same for videos that are shown: number `first`, `first` + 1, ... of the seed.
BlockNoise sample_noise(uint64_t seed, int64_t count, at::IntArrayRef latent, at::TensorOptions options,
                        int64_t first = 0);

}  // namespace sgf
