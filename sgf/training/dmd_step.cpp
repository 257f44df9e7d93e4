#include "sgf/training/dmd_step.h"

#include "sgf/core/noise.h"
#include "sgf/kernels/noise_fill.h"
#include "sgf/reconstruction/reconstruct.h"
#include "sgf/schedule/flow_schedule.h"
#include "sgf/training/sample_number.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace sgf {
namespace {

NoiseKey key_of(const DmdDraws& draws, NoisePurpose purpose) {
  return {.seed = draws.seed, .purpose = purpose, .sample = sample_number(draws.step, draws.first_sample)};
}

// The same for every sample of a step, and so for every rank.
int64_t exit_of(const DmdDraws& draws, NoisePurpose purpose, int64_t steps) {
  return 1 + uniform_index({.seed = draws.seed, .purpose = purpose, .sample = draws.step}, steps);
}

std::vector<int64_t> exits_of(const DmdDraws& draws, NoisePurpose purpose, int64_t steps, int64_t count) {
  std::vector<int64_t> exits;
  for (int64_t i = 0; i < count; ++i) {
    NoiseKey key = key_of(draws, purpose);
    key.sample += i;
    key.step = 1;  // the shared exit is drawn at 0
    exits.push_back(1 + uniform_index(key, steps));
  }
  return exits;
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

double mean_of(const ExitSteps& exits) {
  double sum = 0;
  for (const int64_t step : exits.steps()) sum += static_cast<double>(step);
  return sum / static_cast<double>(exits.steps().size());
}

// A prompt for a rollout: no graph.
PromptText prepared(const CausalDit& dit, const at::Tensor& text) {
  const at::NoGradGuard no_grad;
  return dit.prepare(text);
}

}  // namespace

int64_t DmdDraws::generator_exit(int64_t steps) const { return exit_of(*this, NoisePurpose::kExit, steps); }
int64_t DmdDraws::critic_exit(int64_t steps) const { return exit_of(*this, NoisePurpose::kCriticExit, steps); }

std::vector<int64_t> DmdDraws::generator_exits(int64_t steps, int64_t count) const {
  return exits_of(*this, NoisePurpose::kExit, steps, count);
}

std::vector<int64_t> DmdDraws::critic_exits(int64_t steps, int64_t count) const {
  return exits_of(*this, NoisePurpose::kCriticExit, steps, count);
}

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

LatentStatistics statistics_of(const ExitRecord& record) {
  const at::Tensor x = record.prediction.slice(1, record.given_frames).to(at::kDouble);
  const int64_t frames = x.size(1);
  const at::Tensor motion = (x.slice(1, 1) - x.slice(1, 0, frames - 1)).abs();
  return {.mean = x.mean().item<double>(),
          .spread = x.flatten(1).std(1, /*unbiased=*/false).mean().item<double>(),
          .motion = frames > 1 ? motion.mean().item<double>() : 0};
}

GeneratorStep generator_step(const CausalDit& generator, const CausalDit& teacher, const CausalDit& critic,
                             const DmdBatch& batch, const DmdSettings& settings) {
  GeneratorStep step;
  const auto steps = static_cast<int64_t>(settings.rollout.timesteps.size());
  const ExitSteps exits = settings.exit_per_sample ? ExitSteps(batch.draws.generator_exits(steps, batch.latent[0]))
                                                   : ExitSteps(batch.draws.generator_exit(steps));
  step.exit_step = mean_of(exits);
  const at::Tensor& text = batch.text.cond;
  ExitRecord record = roll_out(generator, prepared(generator, text), settings.rollout, exits,
                               batch.draws.generator_noise(batch.latent, batch.options), batch.given);
  if (settings.on_record) settings.on_record(record);
  const at::Tensor x = reconstruct(generator, generator.embed(text), record, settings.boundary);
  step.recovery = recovery(x, record.prediction);
  step.latents = statistics_of(record);
  const GeneratorLoss result =
      generator_loss(x, {teacher, critic, settings.guidance},
                     batch.draws.score(batch.latent, batch.options, settings.shift), batch.text, record.given_frames);
  step.loss = result.loss;
  step.are_scores_finite = result.are_scores_finite;
  step.dmd_gradient_norm = result.gradient.slice(1, record.given_frames).flatten(1).norm(2, 1).mean().item<double>();
  return step;
}

CriticStep critic_step(const CausalDit& generator, const CausalDit& critic, const DmdBatch& batch,
                       const DmdSettings& settings) {
  const auto steps = static_cast<int64_t>(settings.rollout.timesteps.size());
  const ExitSteps exits = settings.exit_per_sample ? ExitSteps(batch.draws.critic_exits(steps, batch.latent[0]))
                                                   : ExitSteps(batch.draws.critic_exit(steps));
  const ExitRecord record = roll_out(generator, prepared(generator, batch.text.cond), settings.rollout, exits,
                                     batch.draws.critic_noise(batch.latent, batch.options), batch.given);
  const ScoreDraw draw = batch.draws.critic_score(batch.latent, batch.options, settings.shift);
  return {critic_loss(record.prediction, critic, draw, batch.text.cond, record.given_frames), statistics_of(record)};
}

}  // namespace sgf
