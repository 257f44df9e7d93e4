#include "sgf/world/backdrop.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sgf {
namespace {

constexpr double kOutliers[] = {0.15, 0.06, 0.04};  // residuals above which pixels are dropped, one pass each

// Least squares of one channel over the pixels that lie within `tolerance` of the current fit.
void refit(const FrameView& frame, std::span<const uint8_t> covered, int64_t channel, double tolerance,
           BackgroundFit& fit) {
  const auto c = static_cast<size_t>(channel);
  double n = 0, h1 = 0, h2 = 0, v = 0, vh = 0;
  for (int64_t y = 0; y < frame.size; ++y) {
    const double height = height_of(y, frame.size);
    const double expected = fit.middle[c] + fit.slope[c] * height;
    for (int64_t x = 0; x < frame.size; ++x) {
      const double value = frame.at(channel, y, x);
      if (covered[static_cast<size_t>(y * frame.size + x)] != 0 || std::abs(value - expected) > tolerance) continue;
      n += 1, h1 += height, h2 += height * height, v += value, vh += value * height;
    }
  }
  const double determinant = n * h2 - h1 * h1;
  if (determinant < 1e-6) return;
  fit.slope[c] = (n * vh - h1 * v) / determinant;
  fit.middle[c] = (v - fit.slope[c] * h1) / n;
}

double median_of_uncovered(const FrameView& frame, std::span<const uint8_t> covered, int64_t channel) {
  std::vector<double> values;
  for (int64_t i = 0; i < frame.size * frame.size; ++i) {
    if (covered[static_cast<size_t>(i)] == 0) {
      values.push_back(frame.at(channel, i / frame.size, i % frame.size));
    }
  }
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<int64_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

BackgroundFit fit_background(const FrameView& frame, std::span<const uint8_t> covered) {
  BackgroundFit fit;
  for (int64_t channel = 0; channel < 3; ++channel) {
    fit.middle[static_cast<size_t>(channel)] = median_of_uncovered(frame, covered, channel);
    for (const double tolerance : kOutliers) refit(frame, covered, channel, tolerance, fit);
  }
  return fit;
}

double height_of(int64_t row, int64_t size) {
  return 2 * (static_cast<double>(row) + 0.5) / static_cast<double>(size) - 1;
}

Rgb BackgroundFit::at(double height) const {
  return {middle[0] + slope[0] * height, middle[1] + slope[1] * height, middle[2] + slope[2] * height};
}

double colour_distance(const Rgb& a, const Rgb& b) {
  return std::sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

BackgroundWord nearest_background(const Rgb& colour) {
  const auto words = enum_names(BackgroundWord{});
  const auto distance = [&](const auto& word) { return colour_distance(colour, colour_of(word.value)); };
  return std::ranges::min_element(words, {}, distance)->value;
}

}  // namespace sgf
