// What replays of networks share: weights, latents and prompts of a recording on the dtype and device asked for.
#pragma once

#include "sgf/model/causal_dit.h"
#include "sgf/objectives/distribution_matching.h"
#include "sgf/rollout/roll_out.h"
#include "sgf/training/dmd_step.h"
#include "sgf/verify/replay.h"

namespace sgf {

at::TensorOptions weight_options(const ReplayOptions& options);
// Latents stay float32 where weights are bfloat16.
at::TensorOptions latent_options(const ReplayOptions& options);

// The DiT whose weights lie under `role` ("w", "w_real", ...).
CausalDit load_dit(const Recording& recording, const ReplayOptions& options, const std::string& role = "w");

// Recordings keep video as [B, C, F, H, W], the program as [B, F, C, H, W]; the same call goes both ways.
at::Tensor frames_first(const at::Tensor& video);

// `in.name` as latents. Throws unless it is video without NaN or infinity and, where `like` is given, of that shape.
at::Tensor latents(const Recording& recording, const char* name, const ReplayOptions& options,
                   const at::Tensor& like = {});
at::Tensor text_rows(const Recording& recording, const ReplayOptions& options, const char* name = "text");

// `in.t`, one a sample: [B].
at::Tensor timestep_per_sample(const Recording& recording, const at::Tensor& like, const ReplayOptions& options,
                               const char* name = "t");

// What the numbers of `in.t` belong to where there are as many samples as blocks.
enum class RecordedTimes { kOfSamples, kOfBlocks };

// `in.t` for every frame of `like` [B, F, ...]: one for all, one a sample, block or frame, or a row of these a sample.
at::Tensor timesteps_of_frames(const Recording& recording, const at::Tensor& like, int64_t block_frames,
                               RecordedTimes times, const ReplayOptions& options);

// Of the noise table; 5 where a recording does not say.
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

// All that an `sgf_step` recording's update computes with, its guidance and its rollout.
DmdInputs recorded_dmd_inputs(const Recording& recording, const ReplayOptions& options, UpdateKind kind,
                              const ExitSteps& exits);
DmdSettings recorded_dmd_settings(const Recording& recording);

// Gradients of `loss` (or of sum(loss * grad)) by every weight, named prefix + official name; zeros where none arrives.
void add_gradients(NamedTensors& out, const std::string& prefix, const CausalDit& dit, const at::Tensor& loss,
                   const at::Tensor& grad = {});

}  // namespace sgf
