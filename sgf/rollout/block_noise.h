// Noise of a rollout's blocks: a pure function of seed, sample, block and draw.
#pragma once

#include "sgf/core/frame_span.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

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

}  // namespace sgf
