// Replays of the stages that learn from a teacher's path, with all draws given.
#include "sgf/core/file_error.h"
#include "sgf/files/json_integer.h"
#include "sgf/objectives/consistency.h"
#include "sgf/objectives/ode_regression.h"
#include "sgf/verify/replay_inputs.h"
#include "sgf/verify/replay_kinds.h"

#include <ATen/ATen.h>

namespace sgf {
namespace {

BlockLayout recorded_layout(const Recording& recording, const at::Tensor& clips) {
  return BlockLayout(clips.size(1), recording.integer("frames_per_block"));
}

// All history, as in training, unless the recording has a window.
ContextPolicy window_or_everything(const Recording& recording) {
  return recording.has_setting("sink_frames") ? recorded_policy(recording) : ContextPolicy::everything();
}

OdeStates recorded_states(const Recording& recording, RecordedTimes times, const ReplayOptions& options) {
  const at::Tensor state = latents(recording, "state", options);
  const at::Tensor t = timesteps_of_frames(recording, state, recording.integer("frames_per_block"), times, options);
  return {state, t, latents(recording, "target", options, state), text_rows(recording, options)};
}

NamedTensors answers(const CausalDit& student, const OdeRegression& regression) {
  NamedTensors out{{"out.loss", regression.loss.detach().view({1})},
                   {"out.prediction", frames_first(regression.prediction.detach())}};
  add_gradients(out, "grad.", student, regression.loss);
  return out;
}

// One for all samples, or one per sample.
std::vector<int64_t> recorded_steps(const Recording& recording, int64_t batch) {
  const nlohmann::json& stored = recording.setting("grid_index");
  if (!stored.is_array()) return std::vector<int64_t>(static_cast<size_t>(batch), recording.integer("grid_index"));
  auto steps = integers_of(stored);
  SGF_CHECK_FILE(static_cast<int64_t>(steps.size()) == batch, recording.path(),
                 "grid_index must be one per sample, got {} for {}", steps.size(), batch);
  return steps;
}

}  // namespace

NamedTensors replay_causal_ode(const Recording& recording, const ReplayOptions& options) {
  const CausalDit student = load_dit(recording, options);
  set_requires_grad(student.weights(), true);
  const OdeStates states = recorded_states(recording, RecordedTimes::kOfSamples, options);
  const ReconstructionMask mask(window_or_everything(recording), recorded_layout(recording, states.state));
  return answers(student, causal_ode_loss(student, states, latents(recording, "data", options, states.state), mask));
}

NamedTensors replay_bidirectional_ode(const Recording& recording, const ReplayOptions& options) {
  const CausalDit student = load_dit(recording, options);
  set_requires_grad(student.weights(), true);
  const OdeStates states = recorded_states(recording, RecordedTimes::kOfBlocks, options);
  const BlockCausal blocks{window_or_everything(recording), recorded_layout(recording, states.state)};
  return answers(student, bidirectional_ode_loss(student, states, blocks));
}

NamedTensors replay_causal_cd(const Recording& recording, const ReplayOptions& options) {
  const CausalDit student = load_dit(recording, options), teacher = load_dit(recording, options, "w_teacher"),
                  average = load_dit(recording, options, "w_ema");
  set_requires_grad(student.weights(), true);
  const at::Tensor data = latents(recording, "data", options);
  const SolverGrid grid = euler_grid(recording.integer("grid_size"), recorded_shift(recording));
  const ConsistencyBatch batch{data,
                               latents(recording, "noise", options, data),
                               {text_rows(recording, options), text_rows(recording, options, "negative_text")},
                               grid_steps(grid, recorded_steps(recording, data.size(0)), options.device)};
  const ReconstructionMask mask(window_or_everything(recording), recorded_layout(recording, data));
  const ConsistencyLoss step = consistency_loss({student, teacher, average}, batch, recording.number("guidance"), mask);
  NamedTensors out{{"out.loss", step.loss.detach().view({1})},
                   {"out.next", frames_first(step.next)},
                   {"out.target", frames_first(step.target)}};
  add_gradients(out, "grad.", student, step.loss);
  return out;
}

}  // namespace sgf
