#include "sgf/rollout/roll_out_with_graph.h"

#include "sgf/context/kv_cache.h"
#include "sgf/core/error.h"
#include "sgf/schedule/flow_match.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace sgf {
namespace {

// The network input at the exit step, without graph.
at::Tensor exit_input(const CausalDit& dit, const PromptText& text, const Serial& context, const DenoisingSteps& way,
                      const BlockNoise& noise) {
  const at::NoGradGuard no_grad;
  const int64_t exit = way.steps - 1;
  if (exit == 0) return noise(context.block, 0);
  const DenoisedBlock before = denoise_block(dit, text, context, {way.timesteps, exit, way.sigma}, noise);
  return add_noise(before.prediction, noise(context.block, exit), way.level(exit).sigma);
}

}  // namespace

at::Tensor roll_out_with_graph(const CausalDit& dit, const PromptText& text, const RolloutSettings& settings,
                               int64_t exit_step, const BlockNoise& noise, RolloutGraph graph) {
  SGF_CHECK(settings.cache == CacheLatents::kExit,
            "a rollout with its graph can only cache exit predictions; set dmd.cache to exit");
  SGF_CHECK(exit_step >= 1 && exit_step <= static_cast<int64_t>(settings.timesteps.size()),
            "an exit step must be between 1 and {}, got {}", settings.timesteps.size(), exit_step);
  const BlockLayout& layout = settings.layout;
  const KvCacheShape shape = dit.cache_shape(noise(layout.block(0), 0), layout.largest_block(), layout.frames());
  GraphCache cache(settings.policy, shape.layers, shape.tokens_per_frame);
  const bool through_time = graph == RolloutGraph::kEverything;
  std::vector<at::Tensor> predictions;
  for (int64_t i = 0; i < layout.count(); ++i) {
    const Serial context{cache, layout.block(i), {}};
    const DenoisingSteps way{settings.timesteps_of(context.block), settings.steps_taken(context.block, exit_step),
                             settings.sigma};
    if (through_time) {
      predictions.push_back(denoise_block(dit, text, context, way, noise).prediction);
    } else {
      const at::Tensor noisy = exit_input(dit, text, context, way, noise);
      predictions.push_back(predict_block(dit, text, context, noisy, way.level(way.steps - 1)));
    }
    const at::Tensor clean = through_time ? predictions.back() : predictions.back().detach();
    dit.write(context_latents(clean, context.block, settings, noise), text, context);
  }
  return at::cat(predictions, 1);
}

}  // namespace sgf
