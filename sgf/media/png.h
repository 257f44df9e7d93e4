// Pictures on disk: PNG files, written as 8-bit RGB, whole or not at all, and read as others write them too.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

inline constexpr int64_t kLargestPngSide = 1 << 15;
inline constexpr int64_t kMostPngPixels = int64_t{64} << 20;  // read at most: 192 MiB of RGB

struct RgbImage {
  int64_t height = 0;
  int64_t width = 0;
  std::vector<uint8_t> pixels;  // [height, width, 3]
};

// The bytes of a whole file.
std::string encode_png(const RgbImage& image);
void write_png(const std::filesystem::path& path, const RgbImage& image);

// Any kind of PNG file, as png_decoder.h says; a damaged or cut one, or one that is too large, is an Error that names
// it.
RgbImage read_png(const std::filesystem::path& path);

}  // namespace sgf
