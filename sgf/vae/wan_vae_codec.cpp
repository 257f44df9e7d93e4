#include "sgf/vae/wan_vae_codec.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/tensors.h"
#include "sgf/kernels/wide.h"
#include "sgf/vae/causal_conv.h"
#include "sgf/vae/tiled_streams.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace sgf {
namespace {

const std::string kLatents = "latents", kHistory = "history.";

at::Tensor checked_history(const std::string& name, const at::Tensor& tensor, const at::TensorOptions& options) {
  SGF_CHECK(tensor.dim() == 5 && tensor.dtype() == options.dtype(),
            "{} of a saved stream must be [B, C, T, H, W] of {}, got {} dimensions of {}", name,
            c10::toString(c10::typeMetaToScalarType(options.dtype())), tensor.dim(),
            c10::toString(tensor.scalar_type()));
  // In the layout that a running stream has: the convolutions then take the same code path.
  const at::Tensor here = tensor.to(options.device());
  return here.clone(video_layout(here));
}

// A stream's state as named tensors: `latents` (int64) and `history.<official name of the convolution>`; empty slots
// are left out.
NamedTensors save_state(const VaeState& state, const std::vector<std::string>& slots) {
  NamedTensors saved{{kLatents, at::full({1}, state.latents, at::kLong)}};
  for (size_t i = 0; i < slots.size(); ++i)
    if (state.history[i].defined()) saved.emplace_back(kHistory + slots[i], state.history[i].clone());
  return saved;
}

// Restored bit for bit. Throws Error for a name, dtype or shape that such a stream does not have.
VaeState restore_state(const NamedTensors& saved, const std::vector<std::string>& slots,
                       const at::TensorOptions& options) {
  VaeState state{.history = std::vector<at::Tensor>(slots.size()), .latents = -1};
  for (const auto& [name, tensor] : saved) {
    if (name == kLatents) {
      SGF_CHECK(tensor.numel() == 1, "`latents` of a saved stream must be one number, got {}", tensor.numel());
      state.latents = tensor.item<int64_t>();
      continue;
    }
    const auto slot = name.starts_with(kHistory) ? std::ranges::find(slots, name.substr(kHistory.size())) : slots.end();
    SGF_CHECK(slot != slots.end(), "unexpected tensor {} in a saved stream of this VAE", in_quotes(name));
    state.history[static_cast<size_t>(slot - slots.begin())] = checked_history(name, tensor, options);
  }
  SGF_CHECK(state.latents >= 0,
            "a saved stream must have `latents`, the number of processed latent frames, but it is missing");
  SGF_CHECK(state.is_first() || state.history.front().defined(), "a saved stream of {} latent frames needs {}{}",
            state.latents, kHistory, slots.front());
  return state;
}

// A stream's frames [B, C, T, H, W] must keep batch, height and width.
void check_same_stream(const VaeState& state, const at::Tensor& next) {
  if (state.is_first()) return;
  const at::Tensor& held = state.history.front();  // of the first convolution, shaped like its input
  const bool same = held.size(0) == next.size(0) && held.size(3) == next.size(3) && held.size(4) == next.size(4);
  SGF_CHECK(same, "a stream must continue with {} samples of {} x {}, got {} of {} x {}", held.size(0), held.size(3),
            held.size(4), next.size(0), next.size(3), next.size(4));
}

at::Tensor per_channel(const std::vector<double>& values, const at::TensorOptions& options) {
  return at::tensor(values, at::kDouble).to(options).view({1, 1, -1, 1, 1});
}

void check_latents(const at::Tensor& latents, int64_t channels) {
  SGF_CHECK(latents.dim() == 5 && latents.size(2) == channels, "latents must be [B, F, {}, h, w], got [{}]", channels,
            fmt::join(latents.sizes(), ", "));
}

void check_pictures(const at::Tensor& pictures) {
  SGF_CHECK(pictures.dim() == 5 && pictures.size(2) == 3, "a video must be [B, F, 3, H, W], got [{}]",
            fmt::join(pictures.sizes(), ", "));
}

}  // namespace

void LatentScale::validate(int64_t channels) const {
  const auto count = static_cast<size_t>(channels);
  SGF_CHECK(mean.size() == count && deviation.size() == count,
            "latents of {} channels need one mean and one deviation per channel, got {} and {}", channels, mean.size(),
            deviation.size());
  SGF_CHECK(std::ranges::all_of(deviation, [](double d) { return std::isfinite(d) && d > 0; }),
            "deviations of latent channels must be finite and positive");
}

LatentScale usual_latent_scale(int64_t channels) {
  const auto count = static_cast<size_t>(channels);
  if (channels != 16) return {std::vector<double>(count, 0.0), std::vector<double>(count, 1.0)};
  return {{-0.7571, -0.7089, -0.9113, 0.1075, -0.1745, 0.9653, -0.1517, 1.5508, 0.4134, -0.0715, 0.5517, -0.3632,
           -0.1922, -0.9497, 0.2503, -0.2921},
          {2.8184, 1.4541, 2.3275, 2.6558, 1.2196, 1.7708, 2.6052, 2.0743, 3.2687, 2.1526, 2.8652, 1.5579, 1.6382,
           1.1253, 2.8251, 1.9160}};
}

class WanDecoderStream final : public DecoderStream {
 public:
  explicit WanDecoderStream(std::shared_ptr<const WanVaeCodec::Model> model)
      : model_(std::move(model)), state_(model_->vae.decoder().fresh_state()) {}

  at::Tensor next(const at::Tensor& latents) override {
    const VaeConfig& config = model_->vae.config();
    check_latents(latents, config.z_dim);
    const int64_t factor = config.spatial_factor();
    if (latents.size(1) == 0)
      return at::empty({latents.size(0), 0, 3, factor * latents.size(3), factor * latents.size(4)},
                       model_->mean.options());
    check_same_stream(state_, latents.transpose(1, 2));
    const at::Tensor z = latents.to(model_->mean.options()) * model_->deviation + model_->mean;
    return model_->vae.decode(z.transpose(1, 2), state_).transpose(1, 2) * 0.5 + 0.5;
  }

  NamedTensors state() const override { return save_state(state_, model_->vae.decoder().slots()); }
  void restore(const NamedTensors& saved) override {
    state_ = restore_state(saved, model_->vae.decoder().slots(), model_->vae.options());
  }

 private:
  std::shared_ptr<const WanVaeCodec::Model> model_;
  VaeState state_;
};

class WanEncoderStream final : public EncoderStream {
 public:
  explicit WanEncoderStream(std::shared_ptr<const WanVaeCodec::Model> model)
      : model_(std::move(model)), state_(model_->vae.encoder().fresh_state()) {}

  at::Tensor next(const at::Tensor& pictures) override {
    check_pictures(pictures);
    const at::Tensor all = waiting_.defined() ? at::cat({waiting_, pictures}, 1) : pictures;
    const int64_t ready = ready_pictures(all.size(1));
    const at::Tensor rest = all.narrow(1, ready, all.size(1) - ready);
    waiting_ = rest.size(1) > 0 ? rest.clone() : at::Tensor();
    return ready > 0 ? encode(all.narrow(1, 0, ready)) : none(pictures);
  }

 private:
  int64_t ready_pictures(int64_t count) const {
    const int64_t group = model_->vae.config().group_pictures();
    if (!state_.is_first()) return count / group * group;
    return count == 0 ? 0 : 1 + (count - 1) / group * group;
  }

  at::Tensor encode(const at::Tensor& pictures) {
    const at::Tensor inside = (pictures.to(model_->mean.options()) * 2 - 1).transpose(1, 2);
    check_same_stream(state_, inside);
    return (model_->vae.encode(inside, state_).transpose(1, 2) - model_->mean) / model_->deviation;
  }

  at::Tensor none(const at::Tensor& like) const {
    const VaeConfig& config = model_->vae.config();
    const int64_t factor = config.spatial_factor();
    return at::empty({like.size(0), 0, config.z_dim, like.size(3) / factor, like.size(4) / factor},
                     model_->mean.options());
  }

  std::shared_ptr<const WanVaeCodec::Model> model_;
  VaeState state_;
  at::Tensor waiting_;  // [B, F, 3, H, W], fewer than a group
};

WanVaeCodec::WanVaeCodec(const VaeWeights& weights, const WanCodecSettings& settings) {
  const int64_t channels = weights.config.z_dim;
  const LatentScale scale = settings.scale.value_or(usual_latent_scale(channels));
  scale.validate(channels);
  settings.tiles.validate();
  WanVae vae(weights, settings.vae);
  const at::TensorOptions options = vae.options().dtype(wide_type(c10::typeMetaToScalarType(vae.options().dtype())));
  const at::Tensor mean = per_channel(scale.mean, options), deviation = per_channel(scale.deviation, options);
  model_ = std::make_shared<const Model>(Model{std::move(vae), mean, deviation, settings.tiles});
}

WanVaeCodec WanVaeCodec::load(const std::filesystem::path& path, at::TensorOptions options,
                              const WanCodecSettings& settings) {
  return WanVaeCodec(load_vae_weights(path, options), settings);
}

int64_t WanVaeCodec::latent_channels() const { return vae().config().z_dim; }

int64_t WanVaeCodec::spatial_factor() const { return vae().config().spatial_factor(); }

int64_t WanVaeCodec::latent_frames(int64_t frames) const {
  const VaeConfig& config = vae().config();
  if (frames < 1) return 0;
  return 1 + (frames - 1) / config.group_pictures() * (config.group_pictures() / config.temporal_factor());
}

int64_t WanVaeCodec::picture_frames(int64_t latents) const {
  return latents < 1 ? 0 : 1 + (latents - 1) * vae().config().temporal_factor();
}

int64_t WanVaeCodec::dropped_frames(int64_t frames) const {
  return frames < 1 ? 0 : (frames - 1) % vae().config().group_pictures();
}

std::string WanVaeCodec::drop_warning(int64_t frames) const {
  const int64_t dropped = dropped_frames(frames);
  if (dropped == 0) return "";
  return fmt::format("the last {} of {} frames {} left out: the VAE encodes 1 frame, then groups of {}", dropped,
                     frames, dropped == 1 ? "is" : "are", vae().config().group_pictures());
}

at::Tensor WanVaeCodec::encode(const at::Tensor& video) const {
  check_pictures(video);
  SGF_CHECK(video.size(1) > 0, "there are no frames to encode");
  return stream_encoder()->next(video);
}

at::Tensor WanVaeCodec::decode(const at::Tensor& latents) const { return stream_decoder()->next(latents); }

std::unique_ptr<DecoderStream> WanVaeCodec::stream_decoder() const {
  const auto whole = [model = model_] { return std::make_unique<WanDecoderStream>(model); };
  if (!model_->tiles.is_on()) return whole();
  return std::make_unique<TiledDecoderStream>(whole, model_->tiles, spatial_factor());
}

std::unique_ptr<EncoderStream> WanVaeCodec::stream_encoder() const {
  const auto whole = [model = model_] { return std::make_unique<WanEncoderStream>(model); };
  if (!model_->tiles.is_on()) return whole();
  return std::make_unique<TiledEncoderStream>(whole, model_->tiles, spatial_factor());
}

}  // namespace sgf
