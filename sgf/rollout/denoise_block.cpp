#include "sgf/rollout/denoise_block.h"

#include "sgf/core/error.h"
#include "sgf/kernels/noise_fill.h"
#include "sgf/schedule/flow_match.h"

#include <ATen/ATen.h>

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

at::Tensor block_timesteps(const at::Tensor& noisy, NoiseLevel level) {
  return at::full({noisy.size(0), noisy.size(1)}, level.timestep,
                  noisy.options().dtype(at::kDouble).requires_grad(false));
}

at::Tensor predict_block(const CausalDit& dit, const PromptText& text, const Serial& context, const at::Tensor& noisy,
                         NoiseLevel level) {
  return x0_from_flow(noisy, dit.forward(noisy, block_timesteps(noisy, level), text, context), level.sigma);
}

DenoisedBlock denoise_block(const BlockPrediction& predict, FrameSpan block, const DenoisingSteps& way,
                            const BlockNoise& noise, const StepSeen& seen) {
  SGF_CHECK(way.steps >= 1 && way.steps <= static_cast<int64_t>(way.timesteps.size()),
            "the number of denoising steps per block must be between 1 and {}, got {}", way.timesteps.size(),
            way.steps);
  DenoisedBlock denoised{noise(block, 0), {}};
  for (int64_t step = 0;; ++step) {
    denoised.prediction = predict(denoised.noisy, way.level(step));
    if (seen) seen(step + 1, denoised);
    if (step + 1 == way.steps) return denoised;
    denoised.noisy = add_noise(denoised.prediction, noise(block, step + 1), way.level(step + 1).sigma);
  }
}

DenoisedBlock denoise_block(const CausalDit& dit, const PromptText& text, const Serial& context,
                            const DenoisingSteps& way, const BlockNoise& noise, const StepSeen& seen) {
  const BlockPrediction predict = [&](const at::Tensor& noisy, NoiseLevel level) {
    return predict_block(dit, text, context, noisy, level);
  };
  return denoise_block(predict, context.block, way, noise, seen);
}

}  // namespace sgf
