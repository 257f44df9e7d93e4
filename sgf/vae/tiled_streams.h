// Streams that work tile by tile, for small memories. Each tile is a separate stream, and overlapping results are
// blended. Activation memory shrinks with the tile; the state between pieces does not.
//
// The seam costs accuracy: convolutions see zeros beyond a tile, and the attention in the middle sees only the tile.
// Relative L2 error of the frames, with small random weights and tiles of 16 latent pixels on 24 x 24: .053 with an
// overlap of 8, .089 with 1; of encoded latents .075 with 8. `sgf_tests --gtest_filter=TiledVae.Seams*` measures it.
// Not tested with real weights.
#pragma once

#include "sgf/media/video_codec.h"
#include "sgf/vae/tile_plan.h"

#include <functional>
#include <memory>
#include <vector>

namespace sgf {

// The tiles of one frame size: their positions and their pixel weights.
class TileGrid {
 public:
  // `height` and `width` in latent pixels; results have `scale` pixels for each.
  TileGrid(int64_t height, int64_t width, const TileSettings& settings, int64_t scale);

  size_t count() const { return rows_.size() * columns_.size(); }
  // The part of frames [B, F, C, H, W], with `scale` pixels per latent pixel, that tile `index` sees.
  at::Tensor part(const at::Tensor& frames, size_t index, int64_t scale) const;
  // The blend of all tiles' results.
  at::Tensor blend(const std::vector<at::Tensor>& parts) const;

  int64_t height() const { return height_; }
  int64_t width() const { return width_; }

 private:
  at::Tensor weight(size_t index, const at::Tensor& like) const;  // [rows, columns]

  int64_t height_, width_, scale_;
  TileSettings settings_;
  std::vector<TileSpan> rows_, columns_;
};

class TiledDecoderStream final : public DecoderStream {
 public:
  using Make = std::function<std::unique_ptr<DecoderStream>()>;
  TiledDecoderStream(Make make, const TileSettings& settings, int64_t factor);

  at::Tensor next(const at::Tensor& latents) override;
  NamedTensors state() const override;  // `size` [2], and each tile's state under `tile.N.`
  void restore(const NamedTensors& state) override;

 private:
  void begin(int64_t height, int64_t width);

  Make make_;
  TileSettings settings_;
  int64_t factor_;
  std::unique_ptr<TileGrid> grid_;  // set by the first piece
  std::vector<std::unique_ptr<DecoderStream>> tiles_;
};

class TiledEncoderStream final : public EncoderStream {
 public:
  using Make = std::function<std::unique_ptr<EncoderStream>()>;
  TiledEncoderStream(Make make, const TileSettings& settings, int64_t factor);

  at::Tensor next(const at::Tensor& pictures) override;

 private:
  Make make_;
  TileSettings settings_;
  int64_t factor_;
  std::unique_ptr<TileGrid> grid_;
  std::vector<std::unique_ptr<EncoderStream>> tiles_;
};

}  // namespace sgf
