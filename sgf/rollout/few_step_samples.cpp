#include "sgf/rollout/few_step_samples.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace sgf {

at::Tensor sample_in_few_steps(const CausalDit& student, const at::Tensor& text, const RolloutSettings& settings,
                               const BlockNoise& noise, const at::Tensor& given) {
  const at::NoGradGuard no_grad;
  RolloutSettings streaming = settings;
  streaming.context_sigma = 0;
  const auto steps = static_cast<int64_t>(settings.timesteps.size());
  return roll_out(student, student.prepare(text), streaming, steps, noise, given).prediction;
}

}  // namespace sgf
