#include "sgf/world/codec.h"

#include "sgf/core/error.h"

#include <ATen/ATen.h>

#include <numbers>
#include <vector>

namespace sgf {
namespace {

// Stateless: one latent frame is one frame.
class WorldDecoderStream final : public DecoderStream {
 public:
  explicit WorldDecoderStream(const WorldCodec& codec) : codec_(codec) {}
  at::Tensor next(const at::Tensor& latents) override { return codec_.decode(latents); }
  NamedTensors state() const override { return {}; }
  void restore(const NamedTensors& state) override {
    SGF_CHECK(state.empty(), "the world's codec has no state, got {} tensors to restore", state.size());
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

// Row i is the cosine of frequency i over `size` pixels (DCT-II), normalised to length 1.
at::Tensor cosines(int64_t size) {
  const at::Tensor place = at::arange(size, at::kDouble) + 0.5, frequency = at::arange(size, at::kDouble).unsqueeze(1);
  const at::Tensor rows = at::cos(frequency * place * (std::numbers::pi / static_cast<double>(size)));
  return rows / rows.norm(2, 1, /*keepdim=*/true);
}

// Brightness first, then two colour differences.
at::Tensor colour_axes() {
  const at::Tensor rows = at::tensor({1, 1, 1, 1, 0, -1, 1, -2, 1}, at::kDouble).view({3, 3});
  return rows / rows.norm(2, 1, /*keepdim=*/true);
}

// [3 * kept, 3 * patch * patch]: every colour axis with every frequency (i, j) with i + j < bands.
at::Tensor low_frequencies(int64_t patch, int64_t bands) {
  const at::Tensor line = cosines(patch), colours = colour_axes();
  std::vector<at::Tensor> rows;
  for (int64_t colour = 0; colour < 3; ++colour)
    for (int64_t i = 0; i < patch; ++i)
      for (int64_t j = 0; j < patch && i + j < bands; ++j)
        rows.push_back(at::kron(colours[colour], at::kron(line[i], line[j])));
  return at::stack(rows);
}

// Transforms the channels of a video [B, F, C, h, w] to the rows of `basis` [D, C].
at::Tensor in_directions(const at::Tensor& video, const at::Tensor& basis) {
  return at::einsum("dc,bfchw->bfdhw", {basis.to(video.options(), /*non_blocking=*/true), video});
}

}  // namespace

WorldCodec::WorldCodec(const WorldPreset& preset)
    : patch_(preset.codec_patch),
      spread_(preset.codec_spread),
      basis_(preset.codec_bands == 0 ? at::Tensor() : low_frequencies(patch_, preset.codec_bands)) {}

at::Tensor WorldCodec::encode(const at::Tensor& video) const {
  SGF_CHECK(video.dim() == 5 && video.size(2) == 3, "a video must be [B, F, 3, H, W], got {} dimensions, {} channels",
            video.dim(), video.dim() > 2 ? video.size(2) : 0);
  SGF_CHECK(video.size(3) % patch_ == 0 && video.size(4) % patch_ == 0,
            "frame height and width must be multiples of {}, got {} x {}", patch_, video.size(3), video.size(4));
  const at::Tensor pixels = at::pixel_unshuffle((video - kMean) / spread_, patch_);
  return basis_.defined() ? in_directions(pixels, basis_) : pixels;
}

at::Tensor WorldCodec::decode(const at::Tensor& latents) const {
  SGF_CHECK(latents.dim() == 5 && latents.size(2) == latent_channels(),
            "latents must be [B, F, {}, h, w], got {} dimensions, {} channels", latent_channels(), latents.dim(),
            latents.dim() > 2 ? latents.size(2) : 0);
  const at::Tensor pixels = basis_.defined() ? in_directions(latents, basis_.t()) : latents;
  return at::pixel_shuffle(pixels, patch_) * spread_ + kMean;
}

std::unique_ptr<DecoderStream> WorldCodec::stream_decoder() const {
  return std::make_unique<WorldDecoderStream>(*this);
}

std::unique_ptr<EncoderStream> WorldCodec::stream_encoder() const {
  return std::make_unique<WorldEncoderStream>(*this);
}

}  // namespace sgf
