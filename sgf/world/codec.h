// The world's codec: every patch of pixels becomes the channels of one latent pixel, a frame a latent. The channels are
// the pixels themselves, or the patch's lowest frequencies: pictures of the world have little in the others, which a
// small network would have to carry along as noise. Either way the directions are orthonormal, so that noise in latents
// is noise of the same strength in pixels, and encoding what was decoded changes nothing.
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

  static constexpr double kMean = 0.30;  // of the world's pixels, measured over many clips

 private:
  int64_t patch_;
  double spread_;
  at::Tensor basis_;  // [channels, 3 * patch * patch], rows orthonormal, float64; undefined: the pixels themselves
};

}  // namespace sgf
