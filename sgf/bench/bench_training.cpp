#include "sgf/bench/bench_training.h"

#include "sgf/bench/bench_clock.h"
#include "sgf/bench/bench_line.h"
#include "sgf/core/error.h"
#include "sgf/kernels/noise_fill.h"
#include "sgf/kernels/wide.h"
#include "sgf/objectives/distribution_matching.h"
#include "sgf/schedule/flow_schedule.h"
#include "sgf/schedule/schedule_settings.h"
#include "sgf/verify/replay_inputs.h"

#include <ATen/ATen.h>

#include <utility>

namespace sgf {
namespace {

constexpr int64_t kCriticUpdates = 5;  // per generator update

at::ScalarType master_type(at::ScalarType compute) { return compute == at::kDouble ? at::kDouble : at::kFloat; }

at::Tensor random_text(const PassesSettings& s, int64_t sample) {
  return normal({.seed = 2, .purpose = NoisePurpose::kTest, .sample = sample},
                {s.batch, s.model.text_len, s.model.text_dim}, at::TensorOptions(s.dtype).device(s.device));
}

ExitSteps exit_of(const PassesSettings& s, const DmdSettings& settings) {
  const auto steps = static_cast<int64_t>(settings.rollout.timesteps.size());
  SGF_CHECK(s.exit_step >= 1 && s.exit_step <= steps, "the exit step must be between 1 and {}, got {}", steps,
            s.exit_step);
  return s.exit_step;
}

TrainingInputs random_inputs(const PassesSettings& s) {
  const auto masters = at::TensorOptions(master_type(s.dtype)).device(s.device);
  const auto options = masters.dtype(wide_type(s.dtype));
  const std::vector<int64_t> latent{s.batch, s.frames, s.model.in_dim, s.height, s.width};
  const DmdSettings settings{
      .rollout = {s.policy, BlockLayout(s.frames, s.block_frames), ScheduleSettings().timesteps()}};
  const ExitSteps exits = exit_of(s, settings);
  const ScoreText text{random_text(s, 0), random_text(s, 1)};
  const DmdDraws draws{.seed = 3, .step = 1};
  const std::vector<ScoreTimes> times(static_cast<size_t>(s.batch));
  return {
      .config = s.model,
      .generator = random_dit_weights(s.model, 1, masters),
      .critic = random_dit_weights(s.model, 2, masters),
      .teacher = random_dit_weights(s.model, 3, masters.dtype(s.dtype)),
      .settings = settings,
      .latent = latent,
      .generator_inputs = {exits,
                           drawn_noise(draws.noise(UpdateKind::kGenerator, latent, options), settings.rollout, exits),
                           draws.score(UpdateKind::kGenerator, latent, options, times),
                           text,
                           {}},
      .critic_inputs = {exits,
                        drawn_noise(draws.noise(UpdateKind::kCritic, latent, options), settings.rollout, exits),
                        draws.score(UpdateKind::kCritic, latent, options, times),
                        text,
                        {}}};
}

TrainingInputs recorded_inputs(const PassesSettings& s) {
  const Recording recording = Recording::open(s.recording);
  SGF_CHECK(recording.kind() == "sgf_step", "{}: the recording must be of kind sgf_step, got {}", s.recording.string(),
            recording.kind());
  const ReplayOptions compute{.dtype = s.dtype, .device = s.device, .attention = s.attention};
  ReplayOptions masters = compute;
  masters.dtype = master_type(s.dtype);
  const CausalDit generator = load_dit(recording, masters), critic = load_dit(recording, masters, "w_fake");
  const DmdSettings settings = recorded_dmd_settings(recording);
  const ExitSteps exits = exit_of(s, settings);
  return {.config = generator.config(),
          .generator = generator.weights(),
          .critic = critic.weights(),
          .teacher = load_dit(recording, compute, "w_real").weights(),
          .settings = settings,
          .latent = latents(recording, "noise", compute).sizes().vec(),
          .generator_inputs = recorded_dmd_inputs(recording, compute, UpdateKind::kGenerator, exits),
          .critic_inputs = recorded_dmd_inputs(recording, compute, UpdateKind::kCritic, exits)};
}

}  // namespace

TrainingInputs training_inputs(const PassesSettings& setting) {
  return setting.recording.empty() ? random_inputs(setting) : recorded_inputs(setting);
}

TrainingBench::TrainingBench(const PassesSettings& setting, TrainingInputs inputs)
    : s_(setting),
      in_(std::move(inputs)),
      generator_("generator", {}, TrainedDit(in_.config, in_.generator, s_.dtype, {s_.attention, s_.activations})),
      critic_("critic", {.optimiser = {.learning_rate = 4e-7}},
              TrainedDit(in_.config, in_.critic, s_.dtype, {s_.attention, s_.activations})),
      teacher_(in_.config, in_.teacher, {s_.attention, s_.activations}) {}

bool TrainingBench::knows(const std::string& item) {
  return item == "score" || item == "critic" || item == "generator" || item == "cycle";
}

nlohmann::json TrainingBench::run(const std::string& item) {
  PhaseClock clock(s_.device);
  clock.time(s_.warm_up, s_.repeats, [&](PhaseClock& running) {
    if (item == "score") score(running);
    if (item == "critic") update_critic(running, "");
    if (item == "cycle")
      for (int64_t i = 0; i < kCriticUpdates; ++i) update_critic(running, "critic_");
    if (item == "generator" || item == "cycle") update_generator(running);
  });
  nlohmann::json line = described(item);
  line.update(clock.result());
  return line;
}

nlohmann::json TrainingBench::described(const std::string& item) const {
  nlohmann::json line = bench_line(item, {.model = in_.config,
                                          .model_name = s_.recording.empty() ? s_.model_name : "recording",
                                          .device = s_.device,
                                          .dtype = s_.dtype,
                                          .attention = s_.attention,
                                          .activations = s_.activations,
                                          .policy = in_.settings.rollout.policy,
                                          .block_frames = in_.settings.rollout.layout.largest_block(),
                                          .latent = in_.latent});
  line["masters"] = name_of(master_type(s_.dtype));
  if (item != "score") line["exit"] = s_.exit_step;
  return line;
}

void TrainingBench::score(PhaseClock& clock) {
  const at::Tensor& x = in_.critic_inputs.score.noise;  // any latents of this shape
  generator_loss(x, {teacher_, critic_.network(), in_.settings.guidance}, in_.generator_inputs.score,
                 in_.generator_inputs.text);
  clock.end("score");
}

void TrainingBench::update_critic(PhaseClock& clock, const std::string& prefix) {
  const CriticUpdate update = compute_critic_update(networks(), in_.critic_inputs, in_.settings,
                                                    [&](const std::string& phase) { clock.end(prefix + phase); });
  apply(critic_, update.loss, clock, prefix);
}

void TrainingBench::update_generator(PhaseClock& clock) {
  const GeneratorUpdate update = compute_generator_update(networks(), in_.generator_inputs, in_.settings,
                                                          [&](const std::string& phase) { clock.end(phase); });
  apply(generator_, update.objective.loss, clock, "");
}

void TrainingBench::apply(Learner& learner, const at::Tensor& loss, PhaseClock& clock, const std::string& prefix) {
  const std::vector<at::Tensor> gradients = learner.gradients(loss);
  clock.end(prefix + "backward");
  StepReport report;
  learner.update(gradients, loss.item<double>(), /*step=*/0, report);
  clock.end(prefix + "optimiser");
}

}  // namespace sgf
