// Replays of training steps, with every draw given: the SGF update and the stages that learn from clips.
#include "sgf/core/error.h"
#include "sgf/objectives/clip_loss.h"
#include "sgf/objectives/flow_matching.h"
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

NamedTensors loss_and_gradients(const CausalDit& dit, const at::Tensor& loss) {
  NamedTensors out{{"out.loss", as_recorded(loss)}};
  add_gradients(out, "grad.", dit, loss);
  return out;
}

}  // namespace

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
