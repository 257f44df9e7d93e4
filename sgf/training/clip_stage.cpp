#include "sgf/training/clip_stage.h"

#include "sgf/kernels/noise_fill.h"
#include "sgf/objectives/flow_matching.h"
#include "sgf/rollout/few_step_samples.h"
#include "sgf/training/choice_draws.h"
#include "sgf/training/sample_number.h"

#include <ATen/ATen.h>

#include <utility>

namespace sgf {

ClipStage::ClipStage(ClipStageSettings settings, TrainedDit network, ClipBatches clips, const Ranks& ranks)
    : StageWithInputs(settings.update, std::move(network), ranks),
      settings_(std::move(settings)),
      schedule_(settings_.sigma.shift, settings_.sigma.entries),
      mask_(settings_.policy, settings_.layout),
      clips_(std::move(clips)) {}

ClipInputs ClipStage::inputs(int64_t step, const MicroBatch& part) const {
  const TextClips batch = clips_(step, part.first, part.count);
  const int64_t sample = sample_number(step, part.first);
  const NoiseKey noise{.seed = settings_.seed, .purpose = NoisePurpose::kClipNoise, .sample = sample};
  const at::Tensor t = draw_timesteps(sample, part.count);
  return {batch.latents, normal_per_sample(noise, batch.latents.sizes(), batch.latents.options()),
          t.to(batch.latents.device()), bell_weights(schedule_, t, batch.latents), batch.text};
}

at::Tensor ClipStage::loss(const ClipInputs& in) const {
  const NoisedClips clips{in.latents, in.noise, in.t, in.weights, in.text, settings_.sigma};
  return settings_.is_causal ? teacher_forcing_loss(network(), clips, mask_) : bidirectional_loss(network(), clips);
}

// [count, F] uniformly drawn timesteps of the table.
at::Tensor ClipStage::draw_timesteps(int64_t sample, int64_t count) const {
  const std::vector<double>& table = schedule_.timesteps();
  const at::Tensor index = draw_choices({.seed = settings_.seed,
                                         .sample = sample,
                                         .count = count,
                                         .choices = static_cast<int64_t>(table.size()),
                                         .is_per_block = settings_.is_causal},
                                        settings_.layout);
  return at::tensor(table, at::kDouble).index({index});
}

at::Tensor ClipStage::sample(const at::Tensor& text, uint64_t seed) const {
  const CausalDit network = average();
  const std::vector<int64_t> latent = clips_(0, 0, 1).latents.sizes().slice(2).vec();
  const GuidedText guided{text, settings_.empty_text.to(text.options()).expand_as(text)};
  const BlockNoise noise = sample_noise(seed, text.size(0), latent, latent_options(network));
  if (!settings_.is_causal)
    return sample_bidirectional(network, guided, settings_.sampler, noise({0, settings_.layout.frames()}, 0));
  return sample_blocks(network, guided, settings_.sampler, settings_.policy, settings_.layout, noise);
}

}  // namespace sgf
