#include "sgf/data/world_codec.h"

#include "sgf/core/error.h"

#include <ATen/ATen.h>

namespace sgf {
namespace {

// Nothing to remember: a latent is a frame.
class WorldDecoderStream final : public DecoderStream {
 public:
  explicit WorldDecoderStream(const WorldCodec& codec) : codec_(codec) {}
  at::Tensor next(const at::Tensor& latents) override { return codec_.decode(latents); }
  NamedTensors state() const override { return {}; }
  void restore(const NamedTensors& state) override {
    check(state.empty(), "data", "the world's codec remembers nothing, got {} tensors to restore", state.size());
  }

 private:
  WorldCodec codec_;
};

class WorldEncoderStream final : public EncoderStream {
 public:
  explicit WorldEncoderStream(const WorldCodec& codec) : codec_(codec) {}
  at::Tensor next(const at::Tensor& pictures) override { return codec_.encode(pictures); }

 private:
  WorldCodec codec_;
};

}  // namespace

at::Tensor WorldCodec::encode(const at::Tensor& video) const {
  check(video.dim() == 5 && video.size(2) == 3, "data", "a video is [B, F, 3, H, W], got {} dimensions, {} channels",
        video.dim(), video.dim() > 2 ? video.size(2) : 0);
  check(video.size(3) % patch_ == 0 && video.size(4) % patch_ == 0, "data",
        "a picture must be a whole number of patches of {}, got {} x {}", patch_, video.size(3), video.size(4));
  return at::pixel_unshuffle((video - kMean) / kSpread, patch_);
}

at::Tensor WorldCodec::decode(const at::Tensor& latents) const {
  check(latents.dim() == 5 && latents.size(2) == latent_channels(), "data",
        "latents are [B, F, {}, h, w], got {} dimensions, {} channels", latent_channels(), latents.dim(),
        latents.dim() > 2 ? latents.size(2) : 0);
  return at::pixel_shuffle(latents, patch_) * kSpread + kMean;
}

std::unique_ptr<DecoderStream> WorldCodec::stream_decoder() const {
  return std::make_unique<WorldDecoderStream>(*this);
}

std::unique_ptr<EncoderStream> WorldCodec::stream_encoder() const {
  return std::make_unique<WorldEncoderStream>(*this);
}

}  // namespace sgf
