#include "sgf/rollout/few_step_samples.h"

#include "sgf/kernels/noise_fill.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace sgf {

BlockNoise sample_noise(uint64_t seed, int64_t batch, const std::vector<int64_t>& latent, at::TensorOptions options,
                        int64_t first) {
  return [=](FrameSpan block, int64_t draw) {
    const NoiseKey key{
        .seed = seed, .purpose = NoisePurpose::kSample, .sample = first, .block = block.begin, .step = draw};
    return normal_per_sample(key, {batch, block.frames(), latent.at(0), latent.at(1), latent.at(2)}, options);
  };
}

at::Tensor sample_in_few_steps(const CausalDit& student, const at::Tensor& text, const RolloutSettings& settings,
                               const BlockNoise& noise, const at::Tensor& given) {
  const at::NoGradGuard no_grad;
  const auto steps = static_cast<int64_t>(settings.timesteps.size());
  return roll_out(student, student.prepare(text), settings, steps, noise, given).prediction;
}

}  // namespace sgf
