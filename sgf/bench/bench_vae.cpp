#include "sgf/bench/bench_items.h"

#include "sgf/bench/bench_clock.h"
#include "sgf/files/tensors.h"
#include "sgf/kernels/noise_fill.h"
#include "sgf/kernels/wide.h"
#include "sgf/vae/wan_vae_codec.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

namespace sgf {
namespace {

VaeConfig benched_config(const PassesSettings& s) {
  VaeConfig config;
  config.dim = s.vae_dim;
  return config;
}

nlohmann::json described_vae(const PassesSettings& s, const std::string& item, int64_t latents, int64_t pictures) {
  const VaeConfig config = benched_config(s);
  return {{"item", item},
          {"model", fmt::format("wan vae, dim {}", config.dim)},
          {"device", s.device.str()},
          {"threads", at::get_num_threads()},
          {"dtype", name_of(s.dtype)},
          {"batch", s.batch},
          {"frames", latents},
          {"video_frames", pictures},
          {"latent", {config.z_dim, s.height, s.width}}};
}

at::Tensor drawn_for_vae(const PassesSettings& s, at::IntArrayRef shape) {
  const auto options = at::TensorOptions().dtype(wide_type(s.dtype)).device(s.device);
  return normal({.seed = 4, .purpose = NoisePurpose::kTest}, shape, options);
}

// The first latent frame and a block are decoded before timing, so that the stream is in its steady state.
PhaseClock time_decode(const PassesSettings& s, const WanVaeCodec& codec) {
  const at::Tensor latents = drawn_for_vae(s, {s.batch, s.block_frames, codec.latent_channels(), s.height, s.width});
  const auto stream = codec.stream_decoder();
  stream->next(latents.narrow(1, 0, 1));
  PhaseClock clock(s.device);
  clock.time(s.warm_up, s.repeats, [&](PhaseClock& running) {
    stream->next(latents);
    running.end("decode");
  });
  return clock;
}

PhaseClock time_encode(const PassesSettings& s, const WanVaeCodec& codec, int64_t pictures) {
  const int64_t factor = codec.spatial_factor();
  const at::Tensor video = drawn_for_vae(s, {s.batch, pictures, 3, factor * s.height, factor * s.width}) * 0.2 + 0.5;
  PhaseClock clock(s.device);
  clock.time(s.warm_up, s.repeats, [&](PhaseClock& running) {
    codec.encode(video);
    running.end("encode");
  });
  return clock;
}

}  // namespace

bool is_vae_item(const std::string& item) { return item == "vae-decode" || item == "vae-encode"; }

nlohmann::json bench_vae(const PassesSettings& s, const std::string& item) {
  const at::NoGradGuard no_grad;
  const auto options = at::TensorOptions().dtype(s.dtype).device(s.device);
  const WanVaeCodec codec(random_vae_weights(benched_config(s), /*seed=*/1, options));
  const bool decodes = item == "vae-decode";
  const int64_t latents = decodes ? s.block_frames : s.frames;
  const int64_t pictures = decodes ? latents * codec.vae().config().temporal_factor() : codec.picture_frames(latents);
  const PhaseClock clock = decodes ? time_decode(s, codec) : time_encode(s, codec, pictures);
  nlohmann::json line = described_vae(s, item, latents, pictures);
  line.update(clock.result());
  const double p50 = line["p50_ms"].get<double>();
  line["ms_per_latent"] = p50 / static_cast<double>(latents * s.batch);
  line["video_frames_per_s"] = 1000.0 * static_cast<double>(pictures * s.batch) / p50;
  return line;
}

}  // namespace sgf
