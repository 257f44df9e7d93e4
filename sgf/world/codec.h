// The world's codec: every patch of pixels becomes the channels of one latent pixel, and every frame one latent frame.
// The channels are either the pixels themselves or the patch's lowest frequencies: frames of the world have little in
// the higher ones, which a small network would have to carry as noise. The basis is orthonormal, so noise in latents
// has the same strength in pixels, and encoding a decoded video changes nothing.
#pragma once

#include "sgf/media/video_codec.h"
#include "sgf/world/preset.h"

#include <ATen/core/Tensor.h>

namespace sgf {

class WorldCodec final : public VideoCodec {
 public:
  explicit WorldCodec(const WorldPreset& preset);

  int64_t latent_channels() const override { return basis_.defined() ? basis_.size(0) : 3 * patch_ * patch_; }
  int64_t spatial_factor() const override { return patch_; }
  int64_t latent_frames(int64_t frames) const override { return frames; }
  int64_t picture_frames(int64_t latents) const override { return latents; }
  at::Tensor encode(const at::Tensor& video) const override;
  at::Tensor decode(const at::Tensor& latents) const override;
  std::unique_ptr<DecoderStream> stream_decoder() const override;
  std::unique_ptr<EncoderStream> stream_encoder() const override;

  static constexpr double kMean = 0.30;  // mean of the world's pixels, measured over many clips

 private:
  int64_t patch_;
  double spread_;
  at::Tensor basis_;  // [channels, 3 * patch * patch], rows orthonormal, float64; undefined: the pixels themselves
};

}  // namespace sgf
