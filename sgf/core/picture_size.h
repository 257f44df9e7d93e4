// Height and width of a frame, in pixels.
#pragma once

#include <cstdint>

namespace sgf {

struct PictureSize {
  int64_t height = 0;
  int64_t width = 0;

  bool operator==(const PictureSize&) const = default;
};

}  // namespace sgf
