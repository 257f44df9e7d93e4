// The kinds of pixels that a PNG file may hold, and how each becomes RGB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace sgf {

// Grey becomes three equal channels, a palette its colours; alpha is dropped, as Pillow, OpenCV and decord drop it; of
// samples of 16 bits the upper 8 count.
class PngPixels {
 public:
  // By the bit depth and colour type of a header; nothing where PNG knows no such kind.
  static std::optional<PngPixels> of_kind(int depth, int colour);

  size_t row_bytes(int64_t width) const { return static_cast<size_t>((width * samples_ * depth_ + 7) / 8); }
  // How far behind a byte its left neighbour lies, for the filters.
  size_t filter_step() const { return static_cast<size_t>(depth_ < 8 ? 1 : samples_ * depth_ / 8); }

  void set_palette(std::string_view colours);  // [n, 3]; a colour that it lacks is black
  bool lacks_palette() const { return is_indexed_ && palette_.empty(); }

  // A row without its filter to [width, 3].
  void to_rgb(std::span<const uint8_t> row, std::span<uint8_t> rgb) const;

 private:
  PngPixels(int depth, int samples, bool is_indexed) : depth_(depth), samples_(samples), is_indexed_(is_indexed) {}

  int sample(std::span<const uint8_t> row, size_t index) const;

  int depth_;    // bits of a sample
  int samples_;  // of a pixel
  bool is_indexed_;
  std::vector<uint8_t> palette_;  // [256, 3]
};

}  // namespace sgf
