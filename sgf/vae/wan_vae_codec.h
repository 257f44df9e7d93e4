// The Wan VAE as a codec: frames in [0, 1] outside, normalised latents inside, streams in both directions.
#pragma once

#include "sgf/media/video_codec.h"
#include "sgf/vae/tile_plan.h"
#include "sgf/vae/wan_vae.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

// Mean and deviation of each latent channel: networks see (latent - mean) / deviation.
struct LatentScale {
  std::vector<double> mean;
  std::vector<double> deviation;

  // Throws unless there is one mean and one deviation per channel, and every deviation is positive.
  void validate(int64_t channels) const;
};

// The values published with Wan 2.1 for its 16 channels; 0 and 1 for any other number.
LatentScale usual_latent_scale(int64_t channels);

struct WanCodecSettings {
  VaeSettings vae;
  std::optional<LatentScale> scale;  // default: the published scale for this number of channels
  TileSettings tiles;                // off by default; tiled_streams.h states the cost
};

class WanVaeCodec final : public VideoCodec {
 public:
  explicit WanVaeCodec(const VaeWeights& weights, const WanCodecSettings& settings = {});

  // Loads any container with the official names; `options` gives dtype and device.
  static WanVaeCodec load(const std::filesystem::path& path, at::TensorOptions options,
                          const WanCodecSettings& settings = {});

  int64_t latent_channels() const override;
  int64_t spatial_factor() const override;
  int64_t latent_frames(int64_t frames) const override;
  int64_t picture_frames(int64_t latents) const override;

  // The number of frames at the end that do not fill a latent frame and are left out, and the warning text: "" if none.
  int64_t dropped_frames(int64_t frames) const;
  std::string drop_warning(int64_t frames) const;

  // Both run like streams, so memory beyond input and output does not grow with the length. On a CPU any division into
  // pieces gives bit-identical results, unless latents_per_pass was set; elsewhere results agree up to rounding.
  at::Tensor encode(const at::Tensor& video) const override;
  at::Tensor decode(const at::Tensor& latents) const override;
  std::unique_ptr<DecoderStream> stream_decoder() const override;
  std::unique_ptr<EncoderStream> stream_encoder() const override;

  const WanVae& vae() const { return model_->vae; }

 private:
  friend class WanDecoderStream;
  friend class WanEncoderStream;

  // Shared with the streams, which may outlive the codec.
  struct Model {
    WanVae vae;
    at::Tensor mean, deviation;  // [1, 1, C, 1, 1], float32 or wider
    TileSettings tiles;
  };
  std::shared_ptr<const Model> model_;
};

}  // namespace sgf
