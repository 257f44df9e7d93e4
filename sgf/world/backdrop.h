// The background of a frame: a fit of its colour and gradient that no landmark
// disturbs.
#pragma once

#include "sgf/world/frame_view.h"

#include <cstdint>
#include <span>

namespace sgf {

// middle + slope * height, with height -1 at the upper edge and 1 at the lower.
struct BackgroundFit {
  Rgb middle{};
  Rgb slope{};

  Rgb at(double height) const;
};

// Over the pixels that are not covered ([size, size], 1 where covered).
BackgroundFit fit_background(const FrameView& frame, std::span<const uint8_t> covered);

// In [-1, 1], of a row of pixels.
double height_of(int64_t row, int64_t size);

// Euclidean, in RGB.
double colour_distance(const Rgb& a, const Rgb& b);

// The background word whose colour lies nearest.
BackgroundWord nearest_background(const Rgb& colour);

}  // namespace sgf
