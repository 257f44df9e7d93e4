// Streams that work tile by tile, for small memories: each tile is a stream of its own, and where tiles overlap their
// results are blended. What is computed at once shrinks with the tile; what is remembered between pieces does not.
//
// The seam costs: convolutions see zeros beyond a tile, and the attention in the middle sees the tile alone. Relative
// L2 of the pictures, small random weights, tiles of 16 latent pixels on 24 x 24: .053 where 8 overlap, .089 where 1
// does; of encoded latents .075 where 8 do. `sgf_tests --gtest_filter=TiledVae.Seams*` measures it; real weights were
// not tried.
#pragma once

#include "sgf/media/video_codec.h"
#include "sgf/vae/tile_plan.h"

#include <functional>
#include <memory>
#include <vector>

namespace sgf {

// Tiles of one picture size: where they lie, and what their pixels count.
class TileGrid {
 public:
  // `height` and `width` in latent pixels; results have `scale` pixels for each.
  TileGrid(int64_t height, int64_t width, const TileSettings& settings, int64_t scale);

  size_t count() const { return rows_.size() * columns_.size(); }
  // The part of frames [B, F, C, H, W] of `scale` pixels a latent pixel that tile `index` sees.
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
  NamedTensors state() const override;  // `size` [2], and the tiles' own under `tile.N.`
  void restore(const NamedTensors& state) override;

 private:
  void begin(int64_t height, int64_t width);

  Make make_;
  TileSettings settings_;
  int64_t factor_;
  std::unique_ptr<TileGrid> grid_;  // from the first piece on
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
