#include "sgf/bench/bench_training.h"

#include "sgf/bench/bench_clock.h"
#include "sgf/bench/bench_line.h"
#include "sgf/core/error.h"
#include "sgf/files/tensors.h"
#include "sgf/kernels/noise_fill.h"
#include "sgf/kernels/wide.h"
#include "sgf/objectives/distribution_matching.h"
#include "sgf/reconstruction/reconstruct.h"
#include "sgf/schedule/flow_schedule.h"
#include "sgf/verify/replay_inputs.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <utility>

namespace sgf {
namespace {

constexpr int64_t kCriticUpdates = 5;  // a generator update

at::ScalarType master_type(at::ScalarType compute) { return compute == at::kDouble ? at::kDouble : at::kFloat; }

at::Tensor random_text(const PassesSetting& s, int64_t sample) {
  return normal({.seed = 2, .purpose = NoisePurpose::kTest, .sample = sample},
                {s.batch, s.model.text_len, s.model.text_dim}, at::TensorOptions(s.dtype).device(s.device));
}

TrainingInputs random_inputs(const PassesSetting& s) {
  const auto masters = at::TensorOptions(master_type(s.dtype)).device(s.device);
  const auto options = masters.dtype(wide_type(s.dtype));
  const std::vector<double> steps{1000, 750, 500, 250};
  const std::vector<int64_t> latent{s.batch, s.frames, s.model.in_dim, s.height, s.width};
  const DmdDraws draws{.seed = 3, .step = 1};
  const std::vector<ScoreTimes> score_times(static_cast<size_t>(s.batch));
  return {.config = s.model,
          .generator = random_dit_weights(s.model, 1, masters),
          .critic = random_dit_weights(s.model, 2, masters),
          .teacher = random_dit_weights(s.model, 3, masters.dtype(s.dtype)),
          .text = {random_text(s, 0), random_text(s, 1)},
          .rollout = {s.policy, BlockLayout(s.frames, s.block_frames), FlowSchedule().warp(steps)},
          .latent = latent,
          .generator_noise = draws.generator_noise(latent, options),
          .critic_noise = draws.critic_noise(latent, options),
          .score = draws.score(latent, options, score_times),
          .critic_score = draws.critic_score(latent, options, score_times)};
}

TrainingInputs recorded_inputs(const PassesSetting& s) {
  const Recording recording = Recording::open(s.recording);
  SGF_CHECK(recording.kind() == "sgf_step", "{}: training is timed on a recording of kind sgf_step, got {}",
            s.recording.string(), recording.kind());
  const ReplayOptions compute{.dtype = s.dtype, .device = s.device, .attention = s.attention};
  ReplayOptions masters = compute;
  masters.dtype = master_type(s.dtype);
  const CausalDit generator = load_dit(recording, masters), critic = load_dit(recording, masters, "w_fake");
  const at::Tensor start = latents(recording, "noise", compute);
  const BlockNoise noise = recorded_noise(recording, compute, start);
  return {.config = generator.config(),
          .generator = generator.weights(),
          .critic = critic.weights(),
          .teacher = load_dit(recording, compute, "w_real").weights(),
          .text = {text_rows(recording, compute), text_rows(recording, compute, "negative_text")},
          .rollout = rollout_settings(recording, start.size(1)),
          .latent = start.sizes().vec(),
          .generator_noise = noise,
          .critic_noise = noise,
          .score = recorded_draw(recording, compute, "score_noise", "t_score", start),
          .critic_score = recorded_draw(recording, compute, "critic_noise", "t_critic", start),
          .guidance = recording.number("guidance")};
}

// A prompt for a rollout: no graph.
PromptText prepared_prompt(const CausalDit& dit, const at::Tensor& text) {
  const at::NoGradGuard no_grad;
  return dit.prepare(text);
}

}  // namespace

TrainingInputs training_inputs(const PassesSetting& setting) {
  TrainingInputs inputs = setting.recording.empty() ? random_inputs(setting) : recorded_inputs(setting);
  SGF_CHECK(setting.exit_step >= 1 && setting.exit_step <= static_cast<int64_t>(inputs.rollout.timesteps.size()),
            "a rollout exits at step 1 to {}, got {}", inputs.rollout.timesteps.size(), setting.exit_step);
  return inputs;
}

TrainingBench::TrainingBench(const PassesSetting& setting, TrainingInputs inputs)
    : s_(setting),
      in_(std::move(inputs)),
      generator_(in_.config, in_.generator, s_.dtype, {s_.attention, s_.activations}),
      critic_(in_.config, in_.critic, s_.dtype, {s_.attention, s_.activations}),
      teacher_(in_.config, in_.teacher, {s_.attention, s_.activations}),
      generator_optimiser_({}, generator_.masters()),
      critic_optimiser_({.learning_rate = 4e-7}, critic_.masters()) {}

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
                                          .policy = in_.rollout.policy,
                                          .block_frames = in_.rollout.layout.largest_block(),
                                          .latent = in_.latent});
  line["masters"] = name_of(master_type(s_.dtype));
  if (item != "score") line["exit"] = s_.exit_step;
  return line;
}

void TrainingBench::score(PhaseClock& clock) {
  const at::Tensor& x = in_.critic_score.noise;  // any latents do
  generator_loss(x, {teacher_, critic_.network(), in_.guidance}, in_.score, in_.text);
  clock.end("score");
}

void TrainingBench::update_critic(PhaseClock& clock, const std::string& prefix) {
  const ExitRecord record = roll_out(generator_.network(), prepared_prompt(generator_.network(), in_.text.cond),
                                     in_.rollout, s_.exit_step, in_.critic_noise);
  clock.end(prefix + "rollout");
  const at::Tensor loss = critic_loss(record.prediction, critic_.network(), in_.critic_score, in_.text.cond);
  clock.end(prefix + "forward");
  const std::vector<at::Tensor> gradients = critic_.gradients(loss);
  clock.end(prefix + "backward");
  critic_optimiser_.step(gradients);
  critic_.sync();
  clock.end(prefix + "optimiser");
}

void TrainingBench::update_generator(PhaseClock& clock) {
  const CausalDit& generator = generator_.network();
  const ExitRecord record =
      roll_out(generator, prepared_prompt(generator, in_.text.cond), in_.rollout, s_.exit_step, in_.generator_noise);
  clock.end("rollout");
  const at::Tensor x = reconstruct(generator, generator.embed(in_.text.cond), record, GradientBoundary::kOpenContext);
  clock.end("reconstruct");
  const GeneratorLoss result = generator_loss(x, {teacher_, critic_.network(), in_.guidance}, in_.score, in_.text);
  clock.end("score");
  const std::vector<at::Tensor> gradients = generator_.gradients(result.loss);
  clock.end("backward");
  generator_optimiser_.step(gradients);
  generator_.sync();
  clock.end("optimiser");
}

}  // namespace sgf
