// The background of a frame: a fit of its colour and gradient that is robust to landmarks.
#pragma once

#include "sgf/world/words.h"

#include <cstdint>
#include <span>

namespace sgf {

// One frame, [3, size, size] in [0, 1]; does not own its pixels.
struct FrameView {
  const float* pixels = nullptr;
  int64_t size = 0;

  double at(int64_t channel, int64_t y, int64_t x) const { return pixels[(channel * size + y) * size + x]; }
  Rgb at(int64_t y, int64_t x) const { return {at(int64_t{0}, y, x), at(int64_t{1}, y, x), at(int64_t{2}, y, x)}; }
};

// middle + slope * height, with height -1 at the upper edge and 1 at the lower.
struct BackgroundFit {
  Rgb middle{};
  Rgb slope{};

  Rgb at(double height) const;
};

// Fits the pixels that are not covered ([size, size], 1 where covered).
BackgroundFit fit_background(const FrameView& frame, std::span<const uint8_t> covered);

// The height of a row of pixels, in [-1, 1].
double height_of(int64_t row, int64_t size);

// Euclidean distance in RGB.
double colour_distance(const Rgb& a, const Rgb& b);

// The background word with the nearest colour.
BackgroundWord nearest_background(const Rgb& colour);

}  // namespace sgf
