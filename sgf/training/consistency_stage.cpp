#include "sgf/training/consistency_stage.h"

#include "sgf/core/error.h"
#include "sgf/kernels/noise_fill.h"
#include "sgf/rollout/few_step_samples.h"
#include "sgf/training/sample_number.h"

#include <ATen/ATen.h>

#include <utility>

namespace sgf {
namespace {

// One grid step per sample, except the last: there the teacher's step ends at clean latents, and the EMA's input would
// not be noisy.
std::vector<int64_t> draw_grid_steps(uint64_t seed, int64_t steps, int64_t sample, int64_t count) {
  std::vector<int64_t> drawn;
  for (int64_t i = 0; i < count; ++i)
    drawn.push_back(uniform_index({.seed = seed, .purpose = NoisePurpose::kTimestep, .sample = sample + i}, steps - 1));
  return drawn;
}

}  // namespace

ConsistencyStage::ConsistencyStage(ConsistencyStageSettings settings, TrainedDit student, CausalDit teacher,
                                   ClipBatches clips, const Ranks& ranks)
    : StageWithInputs(settings.update, std::move(student), ranks),
      settings_(std::move(settings)),
      mask_(settings_.rollout.policy, settings_.rollout.layout),
      teacher_(std::move(teacher)),
      clips_(std::move(clips)) {
  settings_.grid.validate();
  SGF_CHECK(settings_.grid.steps() >= 2, "consistency distillation needs a grid of at least 2 steps, got {}",
            settings_.grid.steps());
  begin_average();
  target_.emplace(average());
}

ConsistencyInputs ConsistencyStage::inputs(int64_t step, const MicroBatch& part) const {
  const TextClips clips = clips_(step, part.first, part.count);
  const int64_t sample = sample_number(step, part.first);
  const NoiseKey noise{.seed = settings_.seed, .purpose = NoisePurpose::kClipNoise, .sample = sample};
  const std::vector<int64_t> steps = draw_grid_steps(settings_.seed, settings_.grid.steps(), sample, part.count);
  const GridSteps sigmas = grid_steps(settings_.grid, steps, clips.latents.device());
  return {clips.latents, normal_per_sample(noise, clips.latents.sizes(), clips.latents.options()), clips.text,
          sigmas.sigma, sigmas.sigma_next};
}

at::Tensor ConsistencyStage::loss(const ConsistencyInputs& in) const {
  const ConsistencyBatch batch{
      in.latents, in.noise, {in.text, settings_.negative_text.expand(in.text.sizes())}, {in.sigma, in.sigma_next}};
  return consistency_loss({network(), teacher_, *target_}, batch, settings_.guidance, mask_).loss;
}

at::Tensor ConsistencyStage::sample(const at::Tensor& text, uint64_t seed) const {
  const CausalDit student = average();
  return sample_in_few_steps(student, text, settings_.rollout,
                             sample_noise(seed, text.size(0), settings_.latent, latent_options(student)));
}

}  // namespace sgf
