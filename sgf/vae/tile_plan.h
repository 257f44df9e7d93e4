// How a picture is cut into overlapping tiles, and how much each counts where they overlap. Torch-free.
#pragma once

#include <cstdint>
#include <vector>

namespace sgf {

// In latent pixels. A side of 0: no tiles.
struct TileSettings {
  int64_t side = 0;
  int64_t overlap = 0;

  bool is_on() const { return side > 0; }
  void validate() const;  // the overlap leaves room for a step
};

// Tiles of `side` pixels for a side of `pixels`, a quarter of them overlapping; `factor` pixels are one latent pixel.
TileSettings tiles_of_pixels(int64_t pixels, int64_t factor);

struct TileSpan {
  int64_t begin = 0;
  int64_t end = 0;

  int64_t length() const { return end - begin; }
};

// Spans that cover [0, length): as many as needed, neighbours sharing at least the overlap, the last ending at the end.
std::vector<TileSpan> tile_spans(int64_t length, const TileSettings& settings);

// What the pixels of one span count, `scale` of them a latent pixel: rising from the edge over the overlap and falling
// to the other, but for edges of the picture itself.
std::vector<double> tile_weights(const TileSpan& span, int64_t length, const TileSettings& settings, int64_t scale);

}  // namespace sgf
