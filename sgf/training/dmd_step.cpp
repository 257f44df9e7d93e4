#include "sgf/training/dmd_step.h"

#include "sgf/core/noise.h"
#include "sgf/kernels/noise_fill.h"
#include "sgf/reconstruction/reconstruct.h"
#include "sgf/schedule/flow_schedule.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace sgf {
namespace {

// A step holds fewer samples than this: (step, sample within the step) becomes one sample number.
constexpr int64_t kSamplesPerStep = int64_t{1} << 20;

NoiseKey key_of(const DmdDraws& draws, NoisePurpose purpose) {
  return {.seed = draws.seed, .purpose = purpose, .sample = draws.step * kSamplesPerStep + draws.first_sample};
}

// The same for every sample of a step, and so for every rank.
int64_t exit_of(const DmdDraws& draws, NoisePurpose purpose, int64_t steps) {
  return 1 + uniform_index({.seed = draws.seed, .purpose = purpose, .sample = draws.step}, steps);
}

// Generator and critic rollouts of one step must not share noise: they use even and odd draws.
BlockNoise block_noise(const DmdDraws& draws, at::IntArrayRef latent, at::TensorOptions options, int64_t parity) {
  const std::vector<int64_t> shape = latent.vec();
  return [draws, shape, options, parity](FrameSpan block, int64_t draw) {
    NoiseKey key = key_of(draws, draw == 0 ? NoisePurpose::kInitial : NoisePurpose::kRenoise);
    key.block = block.begin;
    key.step = 2 * draw + parity;
    return normal_per_sample(key, {shape[0], block.frames(), shape[2], shape[3], shape[4]}, options);
  };
}

ScoreDraw score_draw(const DmdDraws& draws, at::IntArrayRef latent, at::TensorOptions options, double shift,
                     NoisePurpose noise, NoisePurpose time) {
  std::vector<double> t;
  for (int64_t i = 0; i < latent[0]; ++i) {
    NoiseKey key = key_of(draws, time);
    key.sample += i;
    t.push_back(draw_score_timestep(key, shift));
  }
  return {normal_per_sample(key_of(draws, noise), latent, options), at::tensor(t, at::kDouble).to(options.device())};
}

// A prompt for a rollout: no graph.
PromptText prepared(const CausalDit& dit, const at::Tensor& text) {
  const at::NoGradGuard no_grad;
  return dit.prepare(text);
}

}  // namespace

int64_t DmdDraws::generator_exit(int64_t steps) const { return exit_of(*this, NoisePurpose::kExit, steps); }
int64_t DmdDraws::critic_exit(int64_t steps) const { return exit_of(*this, NoisePurpose::kCriticExit, steps); }

BlockNoise DmdDraws::generator_noise(at::IntArrayRef latent, at::TensorOptions options) const {
  return block_noise(*this, latent, options, 0);
}

BlockNoise DmdDraws::critic_noise(at::IntArrayRef latent, at::TensorOptions options) const {
  return block_noise(*this, latent, options, 1);
}

ScoreDraw DmdDraws::score(at::IntArrayRef latent, at::TensorOptions options, double shift) const {
  return score_draw(*this, latent, options, shift, NoisePurpose::kScore, NoisePurpose::kScoreTimestep);
}

ScoreDraw DmdDraws::critic_score(at::IntArrayRef latent, at::TensorOptions options, double shift) const {
  return score_draw(*this, latent, options, shift, NoisePurpose::kCritic, NoisePurpose::kCriticTimestep);
}

GeneratorStep generator_step(const CausalDit& generator, const CausalDit& teacher, const CausalDit& critic,
                             const DmdBatch& batch, const DmdSettings& settings) {
  GeneratorStep step;
  step.exit_step = batch.draws.generator_exit(static_cast<int64_t>(settings.rollout.timesteps.size()));
  const at::Tensor& text = batch.text.cond;
  const ExitRecord record = roll_out(generator, prepared(generator, text), settings.rollout, step.exit_step,
                                     batch.draws.generator_noise(batch.latent, batch.options));
  const at::Tensor x = reconstruct(generator, generator.embed(text), record, settings.boundary);
  step.recovery = recovery(x, record.prediction);
  const GeneratorLoss result =
      generator_loss(x, {teacher, critic, settings.guidance},
                     batch.draws.score(batch.latent, batch.options, settings.shift), batch.text);
  step.loss = result.loss;
  step.dmd_gradient_norm = result.gradient.flatten(1).norm(2, 1).mean().item<double>();
  return step;
}

at::Tensor critic_step(const CausalDit& generator, const CausalDit& critic, const DmdBatch& batch,
                       const DmdSettings& settings) {
  const int64_t exit = batch.draws.critic_exit(static_cast<int64_t>(settings.rollout.timesteps.size()));
  const ExitRecord record = roll_out(generator, prepared(generator, batch.text.cond), settings.rollout, exit,
                                     batch.draws.critic_noise(batch.latent, batch.options));
  const ScoreDraw draw = batch.draws.critic_score(batch.latent, batch.options, settings.shift);
  return critic_loss(record.prediction, critic, draw, batch.text.cond);
}

}  // namespace sgf
