// Inputs for replays of networks: weights, latents and prompts of a recording, in the requested dtype and device.
#pragma once

#include "sgf/model/causal_dit.h"
#include "sgf/objectives/distribution_matching.h"
#include "sgf/rollout/roll_out.h"
#include "sgf/training/dmd_step.h"
#include "sgf/verify/replay.h"

namespace sgf {

at::TensorOptions weight_options(const ReplayOptions& options);
// Latents stay float32 if weights are bfloat16.
at::TensorOptions latent_options(const ReplayOptions& options);

// The DiT with the weights under `role` ("w", "w_real", ...).
CausalDit load_dit(const Recording& recording, const ReplayOptions& options, const std::string& role = "w");

// Recordings store video as [B, C, F, H, W], the program uses [B, F, C, H, W]; the same call converts both ways.
at::Tensor frames_first(const at::Tensor& video);

// `in.name` as latents. Throws unless it is a finite video and has the shape of `like`, if given.
at::Tensor latents(const Recording& recording, const char* name, const ReplayOptions& options,
                   const at::Tensor& like = {});
at::Tensor text_rows(const Recording& recording, const ReplayOptions& options, const char* name = "text");

// `in.t`, one per sample: [B].
at::Tensor timestep_per_sample(const Recording& recording, const at::Tensor& like, const ReplayOptions& options,
                               const char* name = "t");

// The meaning of the numbers in `in.t` if there are as many samples as blocks.
enum class RecordedTimes { kOfSamples, kOfBlocks };

// `in.t` for every frame of `like` [B, F, ...]: one for all, one per sample, block or frame, or a row of these per
// sample.
at::Tensor timesteps_of_frames(const Recording& recording, const at::Tensor& like, int64_t block_frames,
                               RecordedTimes times, const ReplayOptions& options);

// Shift of the noise table; 5 if the recording has none.
double recorded_shift(const Recording& recording);

// t for every frame of `like` [B, F, ...].
at::Tensor every_frame(const at::Tensor& like, double t);

// Sink and FIFO of a recording's window.
ContextPolicy recorded_policy(const Recording& recording);

// The draws of an SGF step: draw 0 is `start`, draw k is row k - 1 of `in.renoise`.
BlockNoise recorded_noise(const Recording& recording, const ReplayOptions& options, const at::Tensor& start);
RolloutSettings rollout_settings(const Recording& recording, int64_t frames);
ScoreDraw recorded_draw(const Recording& recording, const ReplayOptions& options, const char* noise, const char* t,
                        const at::Tensor& like);

// The inputs of an `sgf_step` recording's update, its guidance and its rollout.
DmdInputs recorded_dmd_inputs(const Recording& recording, const ReplayOptions& options, UpdateKind kind,
                              const ExitSteps& exits);
DmdSettings recorded_dmd_settings(const Recording& recording);

// Gradients of `loss` (or of sum(loss * grad)) for every weight, named prefix + official name; zeros for unused
// weights.
void add_gradients(NamedTensors& out, const std::string& prefix, const CausalDit& dit, const at::Tensor& loss,
                   const at::Tensor& grad = {});

}  // namespace sgf
