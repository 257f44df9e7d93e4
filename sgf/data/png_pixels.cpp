#include "sgf/data/png_pixels.h"

#include <algorithm>
#include <array>

namespace sgf {
namespace {

constexpr int kIndexed = 3;  // the colour type of a palette
constexpr size_t kColours = 256;

int samples_of(int colour) {
  constexpr std::array<int, 7> kSamples{1, 0, 3, 1, 2, 0, 4};  // grey, -, RGB, index, grey and alpha, -, RGBA
  return colour >= 0 && colour < 7 ? kSamples[static_cast<size_t>(colour)] : 0;
}

}  // namespace

std::optional<PngPixels> PngPixels::of_kind(int depth, int colour) {
  const int samples = samples_of(colour);
  const bool is_small = depth == 1 || depth == 2 || depth == 4;  // one sample a pixel alone
  const bool is_known = depth == 8 || (depth == 16 && colour != kIndexed) || (is_small && samples == 1);
  if (samples == 0 || !is_known) return std::nullopt;
  return PngPixels(depth, samples, colour == kIndexed);
}

void PngPixels::set_palette(std::string_view colours) {
  palette_.assign(3 * kColours, 0);
  std::copy_n(colours.begin(), std::min(colours.size(), palette_.size()), palette_.begin());
}

int PngPixels::sample(std::span<const uint8_t> row, size_t index) const {
  if (depth_ == 8) return row[index];
  if (depth_ == 16) return row[2 * index];
  const size_t bits = static_cast<size_t>(depth_), place = index * bits;
  const int most = (1 << depth_) - 1;
  const int value = (row[place / 8] >> (8 - bits - place % 8)) & most;
  return is_indexed_ ? value : value * 255 / most;
}

void PngPixels::to_rgb(std::span<const uint8_t> row, std::span<uint8_t> rgb) const {
  const auto samples = static_cast<size_t>(samples_);
  for (size_t x = 0; 3 * x < rgb.size(); ++x) {
    uint8_t* pixel = &rgb[3 * x];
    if (samples >= 3) {
      for (size_t c = 0; c < 3; ++c) pixel[c] = static_cast<uint8_t>(sample(row, samples * x + c));
      continue;
    }
    const int level = sample(row, samples * x);
    if (is_indexed_) {
      std::copy_n(&palette_[3 * static_cast<size_t>(level)], 3, pixel);
    } else {
      std::fill_n(pixel, 3, static_cast<uint8_t>(level));
    }
  }
}

}  // namespace sgf
