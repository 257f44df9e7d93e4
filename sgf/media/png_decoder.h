// PNG files of any kind to RGB, by libpng.
#pragma once

#include "sgf/media/png.h"

#include <cstddef>
#include <span>
#include <string>

namespace sgf {

// Grey becomes three equal channels, a palette its colours; alpha is dropped, as Pillow, OpenCV and decord drop it; of
// samples of 16 bits the upper 8 count; gamma and colour profiles are not applied. Throws Error, which begins with
// `name`, where the file is damaged, cut short, or larger than kMostPngPixels: before memory is taken for its pixels.
RgbImage decode_png(std::span<const std::byte> file, const std::string& name);

}  // namespace sgf
