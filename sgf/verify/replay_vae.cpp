// Replays of the VAE: encodes a video, decodes the latents together, and decodes them in the pieces of the recording.
#include "sgf/core/file_error.h"
#include "sgf/vae/wan_vae_codec.h"
#include "sgf/verify/replay_inputs.h"
#include "sgf/verify/replay_kinds.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/ranges.h>

namespace sgf {
namespace {

std::vector<double> numbers(const at::Tensor& values) {
  const at::Tensor flat = values.to(at::kDouble).contiguous().view({-1});
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

// Recordings store 1 / deviation. The config in their metadata must match the shapes.
WanVaeCodec recorded_codec(const Recording& recording, const ReplayOptions& options) {
  const VaeWeights weights = load_vae_weights(recording.file_with("w."), weight_options(options));
  const VaeConfig& c = weights.config;
  const nlohmann::json told = {{"dim", c.dim},
                               {"z_dim", c.z_dim},
                               {"dim_mult", c.dim_mult},
                               {"num_res_blocks", c.num_res_blocks},
                               {"temporal_downsample", c.temporal_downsample}};
  for (const auto& [key, value] : told.items())
    SGF_CHECK_FILE(!recording.has_setting("config") || recording.setting("config").value(key, value) == value,
                   recording.path(), "config has {} {}, but the weights have {}", key,
                   recording.setting("config").value(key, value).dump(), value.dump());
  return WanVaeCodec(weights, {.scale = LatentScale{numbers(recording.input("mean")),
                                                    numbers(recording.input("inv_std").reciprocal())}});
}

// Recorded pixels are in [-1, 1], [B, 3, F, H, W]; the codec gives [0, 1], frames second.
at::Tensor from_codec(const at::Tensor& pictures) { return frames_first(pictures) * 2 - 1; }

// The number of latent frames of piece `index`; empty if the recording has no such piece.
std::optional<int64_t> piece_latents(const Recording& recording, const VaeConfig& config, int64_t index) {
  const TensorEntry* piece = recording.file_with("out.").find("out.stream." + std::to_string(index));
  if (piece == nullptr) return std::nullopt;
  SGF_CHECK_FILE(piece->shape.size() == 5, recording.path(), "{} must be a video [B, C, F, H, W], got [{}]",
                 piece->name, fmt::join(piece->shape, ", "));
  const int64_t frames = piece->shape[2], factor = config.temporal_factor();
  return index == 0 ? 1 + (frames - 1) / factor : frames / factor;
}

}  // namespace

NamedTensors replay_vae(const Recording& recording, const ReplayOptions& options) {
  const at::NoGradGuard no_grad;
  const WanVaeCodec codec = recorded_codec(recording, options);
  const at::Tensor video = latents(recording, "video", options);
  const at::Tensor latent =
      recording.has_input("latent") ? latents(recording, "latent", options) : codec.encode(video * 0.5 + 0.5);
  NamedTensors out{{"out.latent", frames_first(latent)}, {"out.video", from_codec(codec.decode(latent))}};
  const auto stream = codec.stream_decoder();
  int64_t begin = 0;
  for (int64_t i = 0; const auto count = piece_latents(recording, codec.vae().config(), i); ++i) {
    SGF_CHECK_FILE(*count > 0 && begin + *count <= latent.size(1), recording.path(),
                   "out.stream.{} needs {} of {} latent frames", i, *count, latent.size(1) - begin);
    const at::Tensor piece = stream->next(latent.narrow(1, begin, *count));
    out.emplace_back("out.stream." + std::to_string(i), from_codec(piece));
    begin += *count;
  }
  return out;
}

}  // namespace sgf
