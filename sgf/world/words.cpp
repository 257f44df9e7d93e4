#include "sgf/world/words.h"

#include <algorithm>
#include <cmath>

namespace sgf {

Rgb rgb_of_hsv(double hue_degrees, double saturation, double value) {
  const auto channel = [&](double offset) {
    const double k = std::fmod(offset + hue_degrees / 60 + 12,
                               6);  // the spread of a hue never reaches -720 degrees
    return value * (1 - saturation * std::clamp(std::min(k, 4 - k), 0.0, 1.0));
  };
  return {channel(5), channel(3), channel(1)};
}

double hue_of(ColourWord word) { return 60.0 * static_cast<double>(word); }

Rgb colour_of(BackgroundWord word) {
  switch (word) {
    case BackgroundWord::kBlack:
      return {0.12, 0.12, 0.13};
    case BackgroundWord::kGrey:
      return {0.45, 0.45, 0.45};
    case BackgroundWord::kBrown:
      return {0.38, 0.27, 0.19};
    case BackgroundWord::kNavy:
      return {0.15, 0.19, 0.35};
  }
  return {};
}

double hue_distance(double a, double b) { return std::abs(std::remainder(a - b, 360.0)); }

}  // namespace sgf
