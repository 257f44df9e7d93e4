// The world's codec: every patch of pixels becomes the channels of one latent
// pixel, a frame a latent. A permutation after a shift and a scale, so that
// noise in latents is the same noise in pixels and decoding is the exact
// inverse.
#pragma once

#include "sgf/data/video_codec.h"
#include "sgf/data/world_preset.h"

namespace sgf {

class WorldCodec final : public VideoCodec {
 public:
  explicit WorldCodec(const WorldPreset& preset) : patch_(preset.codec_patch) {}

  int64_t latent_channels() const override { return 3 * patch_ * patch_; }
  int64_t spatial_factor() const override { return patch_; }
  int64_t latent_frames(int64_t frames) const override { return frames; }
  int64_t picture_frames(int64_t latents) const override { return latents; }
  at::Tensor encode(const at::Tensor& video) const override;
  at::Tensor decode(const at::Tensor& latents) const override;
  std::unique_ptr<DecoderStream> stream_decoder() const override;
  std::unique_ptr<EncoderStream> stream_encoder() const override;

  // Of the world's pixels, measured over many clips: they centre and scale the
  // latents.
  static constexpr double kMean = 0.30;
  static constexpr double kSpread = 0.19;

 private:
  int64_t patch_;
};

}  // namespace sgf
