// PNG files: written as 8-bit RGB, atomically, and read in any variant.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

inline constexpr int64_t kLargestPngSide = 1 << 15;
inline constexpr int64_t kMostPngPixels = int64_t{64} << 20;  // limit for reading: 192 MiB of RGB

struct RgbImage {
  int64_t height = 0;
  int64_t width = 0;
  std::vector<uint8_t> pixels;  // [height, width, 3]
};

// The bytes of a whole PNG file.
std::string encode_png(const RgbImage& image);
void write_png(const std::filesystem::path& path, const RgbImage& image);

// Reads any kind of PNG file as RGB: grey becomes three equal channels and a palette its colours. Alpha is dropped, as
// Pillow, OpenCV and decord do. Of 16-bit samples the upper 8 bits are used. Gamma and colour profiles are ignored.
// Throws an Error that names the file if it is damaged, cut short or too large.
RgbImage read_png(const std::filesystem::path& path);

}  // namespace sgf
