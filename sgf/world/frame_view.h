// One picture as plain numbers, for image analysis that needs no tensor
// library.
#pragma once

#include "sgf/world/words.h"

#include <cstdint>

namespace sgf {

// One picture, [3, size, size] in [0, 1], owned by somebody else.
struct FrameView {
  const float* pixels = nullptr;
  int64_t size = 0;

  double at(int64_t channel, int64_t y, int64_t x) const { return pixels[(channel * size + y) * size + x]; }
  Rgb at(int64_t y, int64_t x) const { return {at(int64_t{0}, y, x), at(int64_t{1}, y, x), at(int64_t{2}, y, x)}; }
};

}  // namespace sgf
