// Decodes PNG files of any kind to RGB, with libpng.
#pragma once

#include "sgf/media/png.h"

#include <cstddef>
#include <span>
#include <string>

namespace sgf {

// Grey becomes three equal channels and a palette its colours. Alpha is dropped, as Pillow, OpenCV and decord do. Of
// 16-bit samples the upper 8 bits are used. Gamma and colour profiles are ignored. Throws an Error that starts with
// `name` if the file is damaged, cut short, or larger than kMostPngPixels, before memory for its pixels is allocated.
RgbImage decode_png(std::span<const std::byte> file, const std::string& name);

}  // namespace sgf
