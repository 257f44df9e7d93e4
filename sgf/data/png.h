// Pictures on disk: PNG files, written as 8-bit RGB, whole or not at all, and read as others write them too.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

struct RgbImage {
  int64_t height = 0;
  int64_t width = 0;
  std::vector<uint8_t> pixels;  // [height, width, 3]
};

// The bytes of a whole file.
std::string encode_png(const RgbImage& image);
void write_png(const std::filesystem::path& path, const RgbImage& image);

// Any kind of pixels (png_pixels.h), not interlaced; anything else, or a damaged file, is an Error that names it.
RgbImage read_png(const std::filesystem::path& path);

}  // namespace sgf
