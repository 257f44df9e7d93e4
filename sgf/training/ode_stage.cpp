#include "sgf/training/ode_stage.h"

#include "sgf/core/error.h"
#include "sgf/rollout/few_step_samples.h"
#include "sgf/training/choice_draws.h"
#include "sgf/training/sample_number.h"

#include <ATen/ATen.h>

#include <utility>

namespace sgf {
namespace {

// For every sample and frame, the state at `index` [B, F].
at::Tensor pick_states(const at::Tensor& states, const at::Tensor& index) {
  const at::Tensor samples = at::arange(index.size(0), index.options()).unsqueeze(1);
  const at::Tensor frames = at::arange(index.size(1), index.options()).unsqueeze(0);
  return states.index({samples, index, frames});
}

void check_paths(const TextPaths& paths, const OdeStageSettings& s) {
  const auto kept = static_cast<int64_t>(s.rollout.timesteps.size());
  SGF_CHECK(
      paths.states.dim() == 6 && paths.states.size(1) == kept && paths.states.size(2) == s.rollout.layout.frames(),
      "paths must have {} states of {} frames, got {} of {}", kept, s.rollout.layout.frames(), paths.states.size(1),
      paths.states.size(2));
  SGF_CHECK(!s.is_causal || paths.data.defined(), "causal_ode needs paths made with clips, but these have no clips");
}

}  // namespace

OdeStage::OdeStage(OdeStageSettings settings, TrainedDit network, PathBatches paths, const Ranks& ranks)
    : StageWithInputs(settings.update, std::move(network), ranks),
      settings_(std::move(settings)),
      mask_(settings_.rollout.policy, settings_.rollout.layout),
      paths_(std::move(paths)) {}

OdeInputs OdeStage::inputs(int64_t step, const MicroBatch& part) const {
  const TextPaths paths = paths_(step, part.first, part.count);
  check_paths(paths, settings_);
  const at::Tensor index = draw_states(sample_number(step, part.first), part.count).to(paths.states.device());
  const at::Tensor timesteps = at::tensor(settings_.rollout.timesteps, at::kDouble).to(paths.states.device());
  return {pick_states(paths.states, index), timesteps.index({index}), paths.end, paths.text,
          settings_.is_causal ? paths.data : at::Tensor()};
}

at::Tensor OdeStage::loss(const OdeInputs& in) const {
  const OdeStates states{in.state, in.t, in.end, in.text, settings_.rollout.sigma};
  const RolloutSettings& rollout = settings_.rollout;
  return settings_.is_causal ? causal_ode_loss(network(), states, in.data, mask_).loss
                             : bidirectional_ode_loss(network(), states, {rollout.policy, rollout.layout}).loss;
}

// [count, F]: uniformly drawn indices of the stored states.
at::Tensor OdeStage::draw_states(int64_t sample, int64_t count) const {
  return draw_choices({.seed = settings_.seed,
                       .sample = sample,
                       .count = count,
                       .choices = static_cast<int64_t>(settings_.rollout.timesteps.size()),
                       .is_per_block = !settings_.is_causal},
                      settings_.rollout.layout);
}

at::Tensor OdeStage::sample(const at::Tensor& text, uint64_t seed) const {
  const CausalDit student = average();
  return sample_in_few_steps(student, text, settings_.rollout,
                             sample_noise(seed, text.size(0), settings_.latent, latent_options(student)));
}

}  // namespace sgf
