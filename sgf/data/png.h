// Pictures on disk: 8-bit RGB PNG files, written whole or not at all, and read
// back.
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

// 8-bit RGB or RGBA (alpha is dropped), not interlaced; anything else, or a
// damaged file, is an Error that names it.
RgbImage read_png(const std::filesystem::path& path);

}  // namespace sgf
