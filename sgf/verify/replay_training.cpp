// Replays of training steps, with all draws given: the SGF update and the stages that learn from clips.
#include "sgf/core/file_error.h"
#include "sgf/objectives/clip_loss.h"
#include "sgf/objectives/flow_matching.h"
#include "sgf/reconstruction/reconstruct.h"
#include "sgf/rollout/roll_out.h"
#include "sgf/schedule/flow_schedule.h"
#include "sgf/training/dmd_step.h"
#include "sgf/verify/replay_inputs.h"
#include "sgf/verify/replay_kinds.h"

#include <ATen/ATen.h>

namespace sgf {
namespace {

at::Tensor as_recorded(const at::Tensor& scalar) { return scalar.detach().view({1}); }

at::Tensor recorded_weights(const Recording& recording, const at::Tensor& t, const at::Tensor& data) {
  return bell_weights(FlowSchedule(recorded_shift(recording)), t, data);
}

RolloutSettings release_rollout_settings(const Recording& recording) {
  const SigmaRule sigma{.lookup = SigmaLookup::kNearestTable, .shift = recorded_shift(recording)};
  const std::string cache = recording.text("cache");
  const std::optional<CacheLatents> cached = enum_from_name<CacheLatents>(cache);
  SGF_CHECK_FILE(cached.has_value(), recording.path(), "cache must be one of {}, got '{}'",
                 all_enum_names<CacheLatents>(), cache);
  return {.policy = recorded_policy(recording),
          .layout = BlockLayout(recording.input("noise").size(2), recording.integer("frames_per_block")),
          .timesteps = recording.setting("timesteps").get<std::vector<double>>(),
          .cache = *cached,
          .sigma = sigma,
          .context_sigma = sigma.at(0)};
}

// Draw 0 is `in.noise`, draw k `in.step_noise.k`, and the context's `in.context_noise`.
BlockNoise release_noise(const Recording& recording, const ReplayOptions& options, const RolloutSettings& settings) {
  std::vector<at::Tensor> draws{latents(recording, "noise", options)};
  for (int64_t k = 1; k < settings.context_draw(); ++k)
    draws.push_back(latents(recording, ("step_noise." + std::to_string(k)).c_str(), options, draws.front()));
  draws.push_back(latents(recording, "context_noise", options, draws.front()));
  return [draws](FrameSpan block, int64_t draw) {
    return draws.at(static_cast<size_t>(draw)).slice(1, block.begin, block.end);
  };
}

NamedTensors loss_and_gradients(const CausalDit& dit, const at::Tensor& loss) {
  NamedTensors out{{"out.loss", as_recorded(loss)}};
  add_gradients(out, "grad.", dit, loss);
  return out;
}

}  // namespace

// Both passes as in the release's training: with the sigmas of its table and the context noise that follows.
NamedTensors replay_sgf_rollout(const Recording& recording, const ReplayOptions& options) {
  const CausalDit generator = load_dit(recording, options);
  set_requires_grad(generator.weights(), true);
  const at::Tensor text = text_rows(recording, options);
  const RolloutSettings settings = release_rollout_settings(recording);
  const ExitRecord record = roll_out(generator, generator.prepare(text), settings, recording.integer("exit_step"),
                                     release_noise(recording, options, settings));
  const at::Tensor x = reconstruct(generator, generator.embed(text), record, GradientBoundary::kOpenContext);
  NamedTensors out{{"out.noisy", frames_first(record.noisy)},
                   {"out.context", frames_first(record.context)},
                   {"out.prediction", frames_first(x.detach())}};
  add_gradients(out, "grad.", generator, x, latents(recording, "grad_out", options, x));
  return out;
}

NamedTensors replay_sgf_step(const Recording& recording, const ReplayOptions& options) {
  const CausalDit generator = load_dit(recording, options), teacher = load_dit(recording, options, "w_real"),
                  critic = load_dit(recording, options, "w_fake");
  const DmdNetworks networks{generator, teacher, critic};
  set_requires_grad(generator.weights(), true);
  set_requires_grad(critic.weights(), true);
  const ExitSteps exits(recording.integer("exit_step"));
  DmdSettings settings = recorded_dmd_settings(recording);
  NamedTensors out;
  for (const auto boundary : {GradientBoundary::kFrozenContext, GradientBoundary::kOpenContext}) {
    const bool open = boundary == GradientBoundary::kOpenContext;
    settings.boundary = boundary;
    const GeneratorUpdate update = compute_generator_update(
        networks, recorded_dmd_inputs(recording, options, UpdateKind::kGenerator, exits), settings);
    add_gradients(out, open ? "grad_open." : "grad_frozen.", generator, update.objective.loss);
    if (!open) continue;
    out.emplace_back("out.noisy", frames_first(update.record.noisy));
    out.emplace_back("out.prediction", frames_first(update.record.prediction));
    out.emplace_back("out.reconstruction", frames_first(update.reconstruction.detach()));
    out.emplace_back("out.dmd_gradient", frames_first(update.objective.gradient));
    out.emplace_back("out.generator_loss", as_recorded(update.objective.loss));
  }
  const CriticUpdate update =
      compute_critic_update(networks, recorded_dmd_inputs(recording, options, UpdateKind::kCritic, exits), settings);
  out.emplace_back("out.critic_loss", as_recorded(update.loss));
  add_gradients(out, "grad_critic.", critic, update.loss);
  return out;
}

NamedTensors replay_flow_matching(const Recording& recording, const ReplayOptions& options) {
  const CausalDit dit = load_dit(recording, options);
  set_requires_grad(dit.weights(), true);
  const at::Tensor data = latents(recording, "data", options), noise = latents(recording, "noise", options, data);
  const at::Tensor t = timestep_per_sample(recording, data, options).unsqueeze(1).expand({data.size(0), data.size(1)});
  const NoisedClips clips{data, noise, t, recorded_weights(recording, t, data), text_rows(recording, options)};
  return loss_and_gradients(dit, bidirectional_loss(dit, clips));
}

NamedTensors replay_teacher_forcing(const Recording& recording, const ReplayOptions& options) {
  const CausalDit dit = load_dit(recording, options);
  set_requires_grad(dit.weights(), true);
  const at::Tensor data = latents(recording, "data", options), noise = latents(recording, "noise", options, data);
  const int64_t block = recording.integer("frames_per_block");
  const at::Tensor t = timesteps_of_frames(recording, data, block, RecordedTimes::kOfBlocks, options);
  const ReconstructionMask mask(ContextPolicy::everything(), BlockLayout(data.size(1), block));
  const NoisedClips clips{data, noise, t, recorded_weights(recording, t, data), text_rows(recording, options)};
  return loss_and_gradients(dit, teacher_forcing_loss(dit, clips, mask));
}

}  // namespace sgf
