#include "sgf/vae/wan_vae_codec.h"

#include "sgf/core/error.h"
#include "sgf/kernels/wide.h"
#include "sgf/vae/saved_state.h"
#include "sgf/vae/tiled_streams.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

namespace sgf {
namespace {

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
