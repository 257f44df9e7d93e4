#include "sgf/vae/tile_plan.h"

#include "sgf/core/error.h"

#include <algorithm>

namespace sgf {

void TileSettings::validate() const {
  SGF_CHECK(side >= 0 && overlap >= 0 && (side == 0 || overlap < side),
            "the tile overlap must be less than the tile side, got {} of {} latent pixels", overlap, side);
}

TileSettings tiles_of_pixels(int64_t pixels, int64_t factor) {
  SGF_CHECK(pixels > 0 && pixels % factor == 0 && pixels >= 4 * factor,
            "the tile side must be a multiple of {} pixels and at least {}, got {}", factor, 4 * factor, pixels);
  return {.side = pixels / factor, .overlap = pixels / factor / 4};
}

std::vector<TileSpan> tile_spans(int64_t length, const TileSettings& settings) {
  if (!settings.is_on() || length <= settings.side) return {{0, length}};
  std::vector<TileSpan> spans;
  for (int64_t begin = 0;; begin += settings.side - settings.overlap) {
    if (begin + settings.side >= length) {
      spans.push_back({length - settings.side, length});
      return spans;
    }
    spans.push_back({begin, begin + settings.side});
  }
}

std::vector<double> tile_weights(const TileSpan& span, int64_t length, const TileSettings& settings, int64_t scale) {
  const int64_t pixels = span.length() * scale;
  const double ramp = static_cast<double>(std::max<int64_t>(1, settings.overlap * scale));
  std::vector<double> weights(static_cast<size_t>(pixels), 1.0);
  for (int64_t i = 0; i < pixels; ++i) {
    const double from_begin = span.begin == 0 ? 1.0 : (static_cast<double>(i) + 0.5) / ramp;
    const double from_end = span.end == length ? 1.0 : (static_cast<double>(pixels - i) - 0.5) / ramp;
    weights[static_cast<size_t>(i)] = std::min({1.0, from_begin, from_end});
  }
  return weights;
}

}  // namespace sgf
