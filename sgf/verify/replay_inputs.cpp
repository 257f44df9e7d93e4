#include "sgf/verify/replay_inputs.h"

#include "sgf/core/file_error.h"
#include "sgf/kernels/wide.h"
#include "sgf/weights/load_dit.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>
#include <torch/csrc/autograd/autograd.h>

namespace sgf {

at::TensorOptions weight_options(const ReplayOptions& options) {
  return at::TensorOptions().dtype(options.dtype).device(options.device);
}

at::TensorOptions latent_options(const ReplayOptions& options) {
  return weight_options(options).dtype(wide_type(options.dtype));
}

CausalDit load_dit(const Recording& recording, const ReplayOptions& options, const std::string& role) {
  const DitConfig config = dit_config_from_json(recording.setting("config").dump(), "config");
  const TensorFile& file = recording.file_with(role + ".");
  return CausalDit(config, load_dit_weights(config, file, index_dit_weights(file, role), weight_options(options)),
                   {.attention = options.attention});
}

at::Tensor frames_first(const at::Tensor& video) { return video.transpose(1, 2); }

namespace {

void check_finite(const Recording& recording, const char* name, const at::Tensor& tensor) {
  SGF_CHECK_FILE(at::isfinite(tensor).all().item<bool>(), recording.path(), "in.{} holds NaN or infinity", name);
}

}  // namespace

at::Tensor latents(const Recording& recording, const char* name, const ReplayOptions& options, const at::Tensor& like) {
  const at::Tensor video = recording.input(name);
  SGF_CHECK_FILE(video.dim() == 5 && video.numel() > 0, recording.path(),
                 "in.{} must be a video [B, C, F, H, W], got [{}]", name, fmt::join(video.sizes(), ", "));
  check_finite(recording, name, video);
  const at::Tensor latents = frames_first(video).contiguous().to(latent_options(options));
  SGF_CHECK_FILE(!like.defined() || latents.sizes() == like.sizes(), recording.path(),
                 "in.{} has shape [{}], but the other inputs have [{}] (frames second)", name,
                 fmt::join(latents.sizes(), ", "),
                 like.defined() ? fmt::format("{}", fmt::join(like.sizes(), ", ")) : "");
  return latents;
}

at::Tensor text_rows(const Recording& recording, const ReplayOptions& options, const char* name) {
  const at::Tensor rows = recording.input(name);
  check_finite(recording, name, rows);
  return rows.to(latent_options(options));
}

at::Tensor timestep_per_sample(const Recording& recording, const at::Tensor& like, const ReplayOptions& options,
                               const char* name) {
  const at::Tensor t = recording.input(name);
  SGF_CHECK_FILE(t.dim() == 1 && t.size(0) == like.size(0), recording.path(),
                 "in.{} must be one timestep per sample, [{}], got [{}]", name, like.size(0),
                 fmt::join(t.sizes(), ", "));
  check_finite(recording, name, t);
  return t.to(options.device);
}

at::Tensor timesteps_of_frames(const Recording& recording, const at::Tensor& like, int64_t block_frames,
                               RecordedTimes times, const ReplayOptions& options) {
  at::Tensor t = recording.input("t").to(options.device, at::kDouble);
  check_finite(recording, "t", t);
  const int64_t batch = like.size(0), frames = like.size(1), came = t.numel();
  const bool has_blocks = block_frames > 0 && frames % block_frames == 0;
  const auto is_of_blocks = [&](int64_t count) { return has_blocks && count == frames / block_frames; };
  const bool could_be_either = came == frames || is_of_blocks(came);
  const bool is_of_samples = came == batch && (times == RecordedTimes::kOfSamples || !could_be_either);
  if (t.dim() < 2) t = is_of_samples ? t.reshape({batch, 1}) : t.reshape({1, came});
  if (is_of_blocks(t.size(-1))) t = t.repeat_interleave(block_frames, -1);
  const bool fits = t.dim() == 2 && (t.size(0) == batch || t.size(0) == 1) && (t.size(1) == frames || t.size(1) == 1);
  SGF_CHECK_FILE(fits, recording.path(),
                 "timesteps must be one per sample, frame or block, got {} for {} samples of {} frames in blocks of {}",
                 came, batch, frames, block_frames);
  return t.expand({batch, frames});
}

double recorded_shift(const Recording& recording) {
  return recording.has_setting("shift") ? recording.number("shift") : 5;
}

at::Tensor every_frame(const at::Tensor& like, double t) {
  return at::full({like.size(0), like.size(1)}, t, like.options().dtype(at::kDouble));
}

BlockNoise recorded_noise(const Recording& recording, const ReplayOptions& options, const at::Tensor& start) {
  const at::Tensor stored = recording.input("renoise");
  SGF_CHECK_FILE(stored.dim() == 6 && stored[0].numel() == start.numel(), recording.path(),
                 "in.renoise must be [steps, B, C, F, H, W], got [{}]", fmt::join(stored.sizes(), ", "));
  const at::Tensor renoise = stored.transpose(2, 3).contiguous().to(latent_options(options));
  return [start, renoise](FrameSpan block, int64_t draw) {
    const at::Tensor whole = draw == 0 ? start : renoise.select(0, draw - 1);
    return whole.slice(1, block.begin, block.end);
  };
}

ContextPolicy recorded_policy(const Recording& recording) {
  return {.sink_frames = recording.integer("sink_frames"), .fifo_frames = recording.integer("fifo_frames")};
}

RolloutSettings rollout_settings(const Recording& recording, int64_t frames) {
  return {recorded_policy(recording), BlockLayout(frames, recording.integer("frames_per_block")),
          recording.setting("denoising_timesteps").get<std::vector<double>>()};
}

ScoreDraw recorded_draw(const Recording& recording, const ReplayOptions& options, const char* noise, const char* t,
                        const at::Tensor& like) {
  return {latents(recording, noise, options, like), timestep_per_sample(recording, like, options, t)};
}

DmdInputs recorded_dmd_inputs(const Recording& recording, const ReplayOptions& options, UpdateKind kind,
                              const ExitSteps& exits) {
  const bool is_generator = kind == UpdateKind::kGenerator;
  const at::Tensor start = latents(recording, "noise", options);
  return {.exits = exits,
          .noise =
              drawn_noise(recorded_noise(recording, options, start), rollout_settings(recording, start.size(1)), exits),
          .score = is_generator ? recorded_draw(recording, options, "score_noise", "t_score", start)
                                : recorded_draw(recording, options, "critic_noise", "t_critic", start),
          .text = {text_rows(recording, options), text_rows(recording, options, "negative_text")},
          .given = {}};
}

DmdSettings recorded_dmd_settings(const Recording& recording) {
  const int64_t frames = recording.input("noise").size(2);  // [B, C, F, H, W]
  return {.rollout = rollout_settings(recording, frames), .guidance = recording.number("guidance")};
}

void add_gradients(NamedTensors& out, const std::string& prefix, const CausalDit& dit, const at::Tensor& loss,
                   const at::Tensor& grad) {
  const NamedTensors parameters = named_parameters(dit.weights());
  std::vector<at::Tensor> tensors, outer;
  for (const auto& [name, tensor] : parameters) tensors.push_back(tensor);
  if (grad.defined()) outer.push_back(grad);
  const auto grads = torch::autograd::grad({loss}, tensors, outer, /*retain_graph=*/std::nullopt,
                                           /*create_graph=*/false, /*allow_unused=*/true);
  for (size_t i = 0; i < tensors.size(); ++i)
    out.emplace_back(prefix + parameters[i].first, grads[i].defined() ? grads[i] : at::zeros_like(tensors[i]));
}

}  // namespace sgf
