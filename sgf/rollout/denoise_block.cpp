#include "sgf/rollout/denoise_block.h"

#include "sgf/core/error.h"
#include "sgf/schedule/flow_match.h"
#include "sgf/schedule/flow_schedule.h"

#include <ATen/ATen.h>

namespace sgf {

at::Tensor predict_block(const CausalDit& dit, const PromptText& text, const Serial& context, const at::Tensor& noisy,
                         double t) {
  const at::Tensor frames =
      at::full({noisy.size(0), noisy.size(1)}, t, noisy.options().dtype(at::kDouble).requires_grad(false));
  return x0_from_flow(noisy, dit.forward(noisy, frames, text, context), t / kMaxTimestep);
}

DenoisedBlock denoise_block(const BlockPrediction& predict, FrameSpan block, const std::vector<double>& timesteps,
                            int64_t steps, const BlockNoise& noise, const StepSeen& seen) {
  SGF_CHECK(steps >= 1 && steps <= static_cast<int64_t>(timesteps.size()),
            "a block takes 1 to {} denoising steps, got {}", timesteps.size(), steps);
  DenoisedBlock denoised{noise(block, 0), {}};
  for (int64_t step = 0;; ++step) {
    denoised.prediction = predict(denoised.noisy, timesteps[static_cast<size_t>(step)]);
    if (seen) seen(step + 1, denoised);
    if (step + 1 == steps) return denoised;
    const double next_sigma = timesteps[static_cast<size_t>(step + 1)] / kMaxTimestep;
    denoised.noisy = add_noise(denoised.prediction, noise(block, step + 1), next_sigma);
  }
}

DenoisedBlock denoise_block(const CausalDit& dit, const PromptText& text, const Serial& context,
                            const std::vector<double>& timesteps, int64_t steps, const BlockNoise& noise,
                            const StepSeen& seen) {
  const BlockPrediction predict = [&](const at::Tensor& noisy, double t) {
    return predict_block(dit, text, context, noisy, t);
  };
  return denoise_block(predict, context.block, timesteps, steps, noise, seen);
}

}  // namespace sgf
