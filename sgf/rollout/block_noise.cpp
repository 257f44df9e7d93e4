#include "sgf/rollout/block_noise.h"

#include "sgf/kernels/noise_fill.h"

namespace sgf {

BlockNoise noise_by_key(const NoiseKey& key, int64_t count, at::IntArrayRef latent, at::TensorOptions options) {
  return [key, count, latent = latent.vec(), options](FrameSpan block, int64_t draw) {
    NoiseKey of_block = key;
    of_block.block = block.begin;
    of_block.step = draw;
    return normal_per_sample(of_block, {count, block.frames(), latent.at(0), latent.at(1), latent.at(2)}, options);
  };
}

BlockNoise sample_noise(uint64_t seed, int64_t count, at::IntArrayRef latent, at::TensorOptions options,
                        int64_t first) {
  return noise_by_key({.seed = seed, .purpose = NoisePurpose::kSample, .sample = first}, count, latent, options);
}

}  // namespace sgf
