#include "sgf/rollout/roll_out.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace sgf {

ExitRecord roll_out(const CausalDit& dit, const PromptText& text, const RolloutSettings& settings, int64_t exit_step,
                    const BlockNoise& noise) {
  const at::NoGradGuard no_grad;
  const BlockLayout& layout = settings.layout;
  const at::Tensor first = noise(layout.block(0), 0);
  KvCache cache(settings.policy, dit.cache_shape(first, layout.largest_block(), layout.frames()),
                dit.weights().head.weight.options().requires_grad(false));
  std::vector<at::Tensor> noisy, predictions;
  for (int64_t i = 0; i < layout.count(); ++i) {
    const Serial context{cache, layout.block(i), {}};
    const DenoisedBlock block = denoise_block(dit, text, context, settings.timesteps, exit_step, noise);
    dit.write(block.prediction, text, context);
    noisy.push_back(block.noisy);
    predictions.push_back(block.prediction);
  }
  const at::Tensor prediction = at::cat(predictions, 1);
  return {settings.policy,   layout,     settings.timesteps[static_cast<size_t>(exit_step - 1)],
          at::cat(noisy, 1), prediction, prediction};
}

}  // namespace sgf
