#include "sgf/evaluation/long_rollout.h"

#include "sgf/kernels/noise_fill.h"
#include "sgf/rollout/roll_out.h"
#include "sgf/training/configured_passes.h"

#include <ATen/ATen.h>

namespace sgf {

at::Tensor long_rollout(const Config& config, const std::string& weights, const at::Tensor& text, int64_t frames,
                        c10::Device device) {
  const CausalDit dit = build_network(config, weights, device);
  RolloutSettings settings = rollout_settings_of(config);
  settings.layout = BlockLayout(frames, config.context.block_frames);
  settings.positions = position_rule_of(config);
  const BlockNoise noise = [&](FrameSpan block, int64_t draw) {
    const NoiseKey key{.seed = static_cast<uint64_t>(config.run.seed),
                       .purpose = NoisePurpose::kSample,
                       .block = block.begin,
                       .step = draw};
    return normal_per_sample(
        key, {text.size(0), block.frames(), config.model.in_dim, config.video.height, config.video.width},
        at::TensorOptions(at::kFloat).device(device));
  };
  const auto steps = static_cast<int64_t>(settings.timesteps.size());
  const at::NoGradGuard no_grad;
  return roll_out(dit, dit.prepare(text.to(device)), settings, steps, noise).prediction;
}

}  // namespace sgf
