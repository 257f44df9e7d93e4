#include "sgf/training/dmd_step.h"

#include "sgf/core/error.h"
#include "sgf/reconstruction/reconstruct.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace sgf {
namespace {

ExitRange exit_range(const DmdSettings& settings) {
  return {.first = settings.first_exit, .last = static_cast<int64_t>(settings.rollout.timesteps.size())};
}

// Of a first block with steps of its own. A later first exit leaves it as many exits as the other blocks have.
ExitRange first_block_range(const DmdSettings& settings) {
  const ExitRange others = exit_range(settings);
  const auto last = static_cast<int64_t>(settings.rollout.first_timesteps.size());
  const int64_t first = others.first == 1 ? 1 : std::max<int64_t>(1, last - (others.last - others.first));
  return {.first = first, .last = last};
}

// The exits of an update's rollouts. `draw` gives those of one range: drawn for all samples, or for each.
template <class Draw>
ExitSteps drawn_exits(const DmdSettings& settings, const Draw& draw) {
  const ExitSteps exits = draw(exit_range(settings), ExitBlocks::kAll);
  if (settings.rollout.first_timesteps.empty()) return exits;
  return exits.with_first(draw(first_block_range(settings), ExitBlocks::kFirst));
}

// A sample that exited early has the noise level of the next step, so its score times stay above that.
std::vector<ScoreTimes> score_times(const DmdSettings& settings, const ExitSteps& exits, int64_t samples) {
  const std::vector<double>& steps = settings.rollout.timesteps;
  std::vector<ScoreTimes> times(static_cast<size_t>(samples), settings.score);
  if (!settings.score_above_next_step) return times;
  for (int64_t i = 0; i < samples; ++i) {
    const auto next = static_cast<size_t>(exits.of(i));  // exits count from 1
    double& least = times[static_cast<size_t>(i)].least;
    if (next < steps.size()) least = std::clamp(steps[next], least, TimestepRange{}.high);
  }
  return times;
}

// Scores use the sigma rule of the rollout.
ScoreDraw with_sigma(ScoreDraw draw, const DmdSettings& settings) {
  draw.sigma = settings.rollout.sigma;
  return draw;
}

// Draws of a block: one per step, and that of the context.
int64_t draws_in(FrameSpan block, const RolloutSettings& rollout, const ExitSteps& exits) {
  return rollout.steps_taken(block, exits) + (rollout.context_sigma > 0 ? 1 : 0);
}

BlockNoise noise_of(const DmdInputs& inputs, const RolloutSettings& rollout) {
  std::vector<int64_t> begins{0};  // of the draws of each block
  for (int64_t i = 0; i < rollout.layout.count(); ++i)
    begins.push_back(begins.back() + draws_in(rollout.layout.block(i), rollout, inputs.exits));
  SGF_CHECK(begins.back() == static_cast<int64_t>(inputs.noise.size()),
            "a rollout of {} blocks needs {} noise tensors, got {}", rollout.layout.count(), begins.back(),
            inputs.noise.size());
  return [&inputs, &rollout, begins](FrameSpan block, int64_t draw) {
    const auto i = static_cast<size_t>(rollout.layout.block_of(block.begin));
    const int64_t last = begins[i + 1] - 1;  // the draw of the context is always the last
    return inputs.noise.at(static_cast<size_t>(std::min(begins[i] + draw, last)));
  };
}

ExitRecord rolled(const CausalDit& generator, const DmdInputs& inputs, const RolloutSettings& rollout) {
  return roll_out(generator, prompt_for_rollout(generator, inputs.text.cond), rollout, inputs.exits,
                  noise_of(inputs, rollout), inputs.given);
}

void tell(const PhaseSeen& seen, const char* phase) {
  if (seen) seen(phase);
}

// Mean, spread, motion.
at::Tensor statistics_of(const ExitRecord& record) {
  const at::Tensor x = record.prediction.slice(1, record.given_frames).to(at::kDouble);
  const int64_t frames = x.size(1);
  const at::Tensor mean = x.mean();
  const at::Tensor motion = (x.slice(1, 1) - x.slice(1, 0, frames - 1)).abs();
  return at::stack(
      {mean, x.flatten(1).std(1, /*unbiased=*/false).mean(), frames > 1 ? motion.mean() : at::zeros_like(mean)});
}

LatentStatistics latents_of(const at::Tensor& numbers) {
  return {.mean = numbers[0].item<double>(), .spread = numbers[1].item<double>(), .motion = numbers[2].item<double>()};
}

// Numbers of a generator update, in their order.
constexpr int64_t kGradientSize = 0, kGradientL2 = 1, kAreFinite = 2, kRecovery = 3, kLatents = 6,
                  kGeneratorNumbers = 9;

}  // namespace

double DmdInputs::exit_step() const {
  const std::vector<int64_t>& steps = exits.steps();
  return static_cast<double>(std::accumulate(steps.begin(), steps.end(), int64_t{0})) /
         static_cast<double>(steps.size());
}

std::vector<at::Tensor> DmdInputs::tensors() const {
  std::vector<at::Tensor> out = noise;
  out.insert(out.end(), {score.noise, score.t, text.cond, text.uncond});
  if (given.defined()) out.push_back(given);
  return out;
}

DmdInputs DmdInputs::with(const std::vector<at::Tensor>& tensors) const {
  const size_t n = noise.size();
  SGF_CHECK(tensors.size() == n + 4 + (given.defined() ? 1 : 0), "an update needs {} tensors, got {}",
            this->tensors().size(), tensors.size());
  return {exits,
          {tensors.begin(), tensors.begin() + static_cast<int64_t>(n)},
          {tensors[n], tensors[n + 1], score.sigma},
          {tensors[n + 2], tensors[n + 3]},
          given.defined() ? tensors[n + 4] : at::Tensor()};
}

std::vector<at::Tensor> drawn_noise(const BlockNoise& noise, const RolloutSettings& rollout, const ExitSteps& exits) {
  std::vector<at::Tensor> out;
  for (int64_t i = 0; i < rollout.layout.count(); ++i) {
    const FrameSpan block = rollout.layout.block(i);
    for (int64_t draw = 0; draw < rollout.steps_taken(block, exits); ++draw) out.push_back(noise(block, draw));
    if (rollout.context_sigma > 0) out.push_back(noise(block, rollout.context_draw()));
  }
  return out;
}

DmdInputs drawn_inputs(UpdateKind kind, const DmdBatch& batch, const DmdSettings& settings) {
  const DmdDraws& draws = batch.draws;
  const int64_t samples = batch.latent[0];
  const ExitSteps exits = drawn_exits(settings, [&](ExitRange range, ExitBlocks blocks) {
    return settings.exits == ExitSharing::kPerSample ? ExitSteps(draws.exits(kind, range, samples, blocks))
                                                     : ExitSteps(draws.exit(kind, range, blocks));
  });
  const std::vector<ScoreTimes> times = score_times(settings, exits, samples);
  return {exits, drawn_noise(draws.noise(kind, batch.latent, batch.options), settings.rollout, exits),
          with_sigma(draws.score(kind, batch.latent, batch.options, times), settings), batch.text, batch.given};
}

GeneratorNumbers generator_numbers(const at::Tensor& numbers) {
  const at::Tensor read = numbers.to(at::kCPU);
  SGF_CHECK(read.numel() == kGeneratorNumbers, "a generator update must have {} numbers, got {}", kGeneratorNumbers,
            read.numel());
  return {.dmd_gradient_size = read[kGradientSize].item<double>(),
          .dmd_gradient_l2 = read[kGradientL2].item<double>(),
          .recovery = recovery_of(read.slice(0, kRecovery, kLatents)),
          .latents = latents_of(read.slice(0, kLatents)),
          .are_scores_finite = read[kAreFinite].item<double>() != 0};
}

LatentStatistics critic_numbers(const at::Tensor& numbers) { return latents_of(numbers.to(at::kCPU)); }

GeneratorUpdate compute_generator_update(const DmdNetworks& networks, const DmdInputs& inputs,
                                         const DmdSettings& settings, const PhaseSeen& seen) {
  const auto& [generator, teacher, critic] = networks;
  ExitRecord record = rolled(generator, inputs, settings.rollout);
  if (settings.on_record) settings.on_record(record);
  tell(seen, "rollout");
  const at::Tensor x = reconstruct(generator, generator.embed(inputs.text.cond), record, settings.boundary);
  tell(seen, "reconstruct");
  GeneratorLoss objective =
      generator_loss(x, {teacher, critic, settings.guidance}, inputs.score, inputs.text, record.given_frames);
  tell(seen, "score");
  return {std::move(record), x, std::move(objective)};
}

CriticUpdate compute_critic_update(const DmdNetworks& networks, const DmdInputs& inputs, const DmdSettings& settings,
                                   const PhaseSeen& seen) {
  ExitRecord record = rolled(networks.generator, inputs, settings.rollout);
  tell(seen, "rollout");
  const at::Tensor loss =
      critic_loss(record.prediction, networks.critic, inputs.score, inputs.text.cond, record.given_frames);
  tell(seen, "forward");
  return {std::move(record), loss};
}

at::Tensor numbers_of(const GeneratorUpdate& update) {
  const GeneratorLoss& objective = update.objective;
  const at::Tensor gradient = objective.gradient.slice(1, update.record.given_frames).flatten(1);
  return at::cat({at::stack({gradient.abs().mean().to(at::kDouble), gradient.norm(2, 1).mean().to(at::kDouble),
                             objective.are_scores_finite.to(at::kDouble)}),
                  recovery_numbers(update.reconstruction, update.record.prediction), statistics_of(update.record)});
}

at::Tensor numbers_of(const CriticUpdate& update) { return statistics_of(update.record); }

GeneratorStep generator_step(const DmdNetworks& networks, const DmdBatch& batch, const DmdSettings& settings) {
  const DmdInputs inputs = drawn_inputs(UpdateKind::kGenerator, batch, settings);
  const GeneratorUpdate update = compute_generator_update(networks, inputs, settings);
  return {generator_numbers(numbers_of(update)), update.objective.loss, inputs.exit_step()};
}

}  // namespace sgf
