#include "sgf/training/dmd_stage.h"

#include "sgf/core/error.h"
#include "sgf/rollout/few_step_samples.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace sgf {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

void check_settings(const DmdStageSettings& s) {
  s.schedule.validate();
  SGF_CHECK(s.latent.size() == 4 && s.latent[0] == s.dmd.rollout.layout.frames(),
            "a latent must be [F, C, H, W] with the layout's {} frames", s.dmd.rollout.layout.frames());
  SGF_CHECK(!s.record_launches || (s.dmd.exits == ExitSharing::kShared && !s.dmd.on_record),
            "record_launches needs one exit per update, but dmd.exit draws one per sample; set dmd.exit: shared or "
            "train.record_launches: false");
}

// Differs where rollouts compute other steps.
int64_t variant_of(const ExitSteps& exits, UpdateKind kind) {
  const int64_t first = exits.has_first() ? exits.first().latest() : 0;
  return ((first << 31) + exits.latest()) * 2 + (kind == UpdateKind::kGenerator ? 0 : 1);
}

RecoveryReport worst_of_ranks(const RecoveryReport& mine, const Ranks& ranks) {
  RecoveryReport worst = mine;
  for (const std::vector<double>& other : ranks.gather({mine.relative_l2, mine.cosine, mine.max_abs}))
    worst = worse_of(worst, {.relative_l2 = other[0], .cosine = other[1], .max_abs = other[2]});
  return worst;
}

}  // namespace

DmdStage::DmdStage(DmdStageSettings settings, TrainedDit generator, CausalDit teacher, TrainedDit critic, DmdData data,
                   const Ranks& ranks)
    : settings_(std::move(settings)),
      generator_("generator", settings_.generator, std::move(generator)),
      teacher_(std::move(teacher)),
      critic_("critic", settings_.critic, std::move(critic)),
      data_(std::move(data)),
      ranks_(&ranks),
      ema_(settings_.ema_decay, settings_.ema_start_step, generator_.masters()) {
  check_settings(settings_);
  settings_.batch.validate(ranks);
}

StepReport DmdStage::step(int64_t step) {
  StepReport report;
  if (settings_.schedule.updates_generator(step)) update_generator(step, report);
  if (settings_.schedule.updates_critic(step)) update_critic(step, report);
  return report;
}

DmdBatch dmd_batch(const DmdStageSettings& settings, const DmdData& data, const CausalDit& generator, UpdateKind kind,
                   int64_t step, const MicroBatch& part) {
  std::vector<int64_t> latent{part.count};
  latent.insert(latent.end(), settings.latent.begin(), settings.latent.end());
  return {data.prompts(kind, step, part.first, part.count),
          latent,
          latent_options(generator),
          data.given ? data.given(kind, step, part.first, part.count) : at::Tensor(),
          {.seed = settings.seed, .step = step, .first_sample = part.first}};
}

DmdBatch DmdStage::batch(UpdateKind kind, int64_t step, const MicroBatch& part) const {
  return dmd_batch(settings_, data_, generator_.network(), kind, step, part);
}

template <class Work>
UpdatePart DmdStage::computed(UpdateKind kind, const DmdInputs& inputs, const Work& work) {
  if (!settings_.record_launches) return work(inputs);
  return recorded_.compute(variant_of(inputs.exits, kind), inputs, work);
}

void DmdStage::update_generator(int64_t step, StepReport& report) {
  UpdateSum sum;
  RecoveryReport worst{.cosine = 1};
  for (const MicroBatch& part : settings_.batch.parts(*ranks_)) {
    ranks_->check_alive();
    const DmdInputs inputs =
        drawn_inputs(UpdateKind::kGenerator, batch(UpdateKind::kGenerator, step, part), settings_.dmd);
    const UpdatePart one = computed(UpdateKind::kGenerator, inputs, [this](const DmdInputs& in) {
      const GeneratorUpdate update = compute_generator_update(networks(), in, settings_.dmd);
      const at::Tensor& loss = update.objective.loss;
      return UpdatePart{loss.detach(), numbers_of(update), generator_.gradients(loss)};
    });
    sum.add(one.gradients, part.share);
    const GeneratorNumbers numbers = generator_numbers(one.numbers);
    // Non-finite scores give a loss of 0, which looks valid: report NaN to the watch.
    sum.add("generator_loss", numbers.are_scores_finite ? one.loss.item<double>() : kNotANumber, part.share);
    sum.add("dmdtrain_gradient_norm", numbers.dmd_gradient_size, part.share);  // the name that others log it under
    sum.add("dmd_gradient_l2", numbers.dmd_gradient_l2, part.share);
    sum.add("exit_step", inputs.exit_step(), part.share);
    worst = worse_of(worst, numbers.recovery);
  }
  sum.combine(*ranks_);
  report.metrics.insert(sum.means().begin(), sum.means().end());
  settings_.recovery.judge(worst_of_ranks(worst, *ranks_), step, report);
  ema_.enter(step);
  if (generator_.update(sum.gradients(), sum.means().at("generator_loss"), step, report)) ema_.update();
}

void DmdStage::update_critic(int64_t step, StepReport& report) {
  UpdateSum sum;
  for (const MicroBatch& part : settings_.batch.parts(*ranks_)) {
    ranks_->check_alive();
    const DmdInputs inputs = drawn_inputs(UpdateKind::kCritic, batch(UpdateKind::kCritic, step, part), settings_.dmd);
    const UpdatePart one = computed(UpdateKind::kCritic, inputs, [this](const DmdInputs& in) {
      const CriticUpdate update = compute_critic_update(networks(), in, settings_.dmd);
      return UpdatePart{update.loss.detach(), numbers_of(update), critic_.gradients(update.loss)};
    });
    sum.add(one.gradients, part.share);
    const LatentStatistics latents = critic_numbers(one.numbers);
    sum.add("critic_loss", one.loss.item<double>(), part.share);
    sum.add("latent_mean", latents.mean, part.share);
    sum.add("latent_std", latents.spread, part.share);
    sum.add("motion_energy", latents.motion, part.share);
  }
  sum.combine(*ranks_);
  report.metrics.insert(sum.means().begin(), sum.means().end());
  critic_.update(sum.gradients(), sum.means().at("critic_loss"), step, report);
}

StageState DmdStage::state() const {
  StageState state;
  generator_.save(state);
  critic_.save(state);
  ema_.save(state);
  return state;
}

void DmdStage::restore(const StageState& state) {
  generator_.restore(state);
  critic_.restore(state);
  ema_.restore(state);
}

at::Tensor DmdStage::sample(const at::Tensor& text, uint64_t seed) const {
  const CausalDit network = with_weights(generator_.network(), ema_.average());
  const std::vector<int64_t> latent(settings_.latent.begin() + 1, settings_.latent.end());
  const at::Tensor given = data_.sample_given ? data_.sample_given(text.size(0)) : at::Tensor();
  return sample_in_few_steps(network, text, settings_.dmd.rollout,
                             sample_noise(seed, text.size(0), latent, latent_options(network)), given);
}

}  // namespace sgf
