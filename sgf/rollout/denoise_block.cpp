#include "sgf/rollout/denoise_block.h"

#include "sgf/core/error.h"
#include "sgf/schedule/flow_match.h"
#include "sgf/schedule/flow_schedule.h"

#include <ATen/ATen.h>

namespace sgf {

DenoisedBlock denoise_block(const CausalDit& dit, const PromptText& text, const Serial& context,
                            const std::vector<double>& timesteps, int64_t steps, const BlockNoise& noise,
                            const StepSeen& seen) {
  check(steps >= 1 && steps <= static_cast<int64_t>(timesteps.size()), "rollout",
        "a block takes 1 to {} denoising steps, got {}", timesteps.size(), steps);
  DenoisedBlock block{noise(context.block, 0), {}};
  for (int64_t step = 0;; ++step) {
    const double t = timesteps[static_cast<size_t>(step)];
    const at::Tensor frames =
        at::full({block.noisy.size(0), block.noisy.size(1)}, t, block.noisy.options().dtype(at::kDouble));
    block.prediction = x0_from_flow(block.noisy, dit.forward(block.noisy, frames, text, context), t / kMaxTimestep);
    if (seen) seen(step + 1, block);
    if (step + 1 == steps) return block;
    const double next_sigma = timesteps[static_cast<size_t>(step + 1)] / kMaxTimestep;
    block.noisy = add_noise(block.prediction, noise(context.block, step + 1), next_sigma);
  }
}

}  // namespace sgf
