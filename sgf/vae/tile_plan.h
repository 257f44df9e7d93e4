// How a frame is divided into overlapping tiles, and how they are weighted where they overlap. Torch-free.
#pragma once

#include <cstdint>
#include <vector>

namespace sgf {

// In latent pixels. A side of 0 disables tiling.
struct TileSettings {
  int64_t side = 0;
  int64_t overlap = 0;

  bool is_on() const { return side > 0; }
  void validate() const;  // the overlap must be less than the side
};

// Tiles with a side of `pixels`, a quarter of which overlaps; `factor` pixels make one latent pixel.
TileSettings tiles_of_pixels(int64_t pixels, int64_t factor);

struct TileSpan {
  int64_t begin = 0;
  int64_t end = 0;

  int64_t length() const { return end - begin; }
};

// Spans that cover [0, length) with as few as possible: neighbours share at least the overlap, the last ends at the
// end.
std::vector<TileSpan> tile_spans(int64_t length, const TileSettings& settings);

// The weight of each pixel of one span, with `scale` pixels per latent pixel. It rises from each edge over the overlap,
// except at the edges of the frame.
std::vector<double> tile_weights(const TileSpan& span, int64_t length, const TileSettings& settings, int64_t scale);

}  // namespace sgf
