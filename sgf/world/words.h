// The words of the world: what a caption can name, and what each word looks like.
#pragma once

#include "sgf/core/enum_names.h"

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

namespace sgf {

// Six hues, 60 degrees apart, in the order of the colour wheel.
enum class ColourWord { kRed, kYellow, kGreen, kCyan, kBlue, kMagenta };

enum class ShapeWord { kDisc, kSquare, kTriangle };

enum class SpeedWord { kSlow, kFast };

// Dull colours, so that everything bright and saturated is an object.
enum class BackgroundWord { kBlack, kGrey, kBrown, kNavy };

constexpr auto enum_names(ColourWord) {
  return std::array{EnumName{ColourWord::kRed, "red"},     EnumName{ColourWord::kYellow, "yellow"},
                    EnumName{ColourWord::kGreen, "green"}, EnumName{ColourWord::kCyan, "cyan"},
                    EnumName{ColourWord::kBlue, "blue"},   EnumName{ColourWord::kMagenta, "magenta"}};
}

constexpr auto enum_names(ShapeWord) {
  return std::array{EnumName{ShapeWord::kDisc, "disc"}, EnumName{ShapeWord::kSquare, "square"},
                    EnumName{ShapeWord::kTriangle, "triangle"}};
}

constexpr auto enum_names(SpeedWord) {
  return std::array{EnumName{SpeedWord::kSlow, "slow"}, EnumName{SpeedWord::kFast, "fast"}};
}

constexpr auto enum_names(BackgroundWord) {
  return std::array{EnumName{BackgroundWord::kBlack, "black"}, EnumName{BackgroundWord::kGrey, "grey"},
                    EnumName{BackgroundWord::kBrown, "brown"}, EnumName{BackgroundWord::kNavy, "navy"}};
}

template <NamedEnum E>
constexpr int64_t word_count() {
  return static_cast<int64_t>(enum_names(E{}).size());
}

// The captioned factors of one object.
struct ObjectWords {
  SpeedWord speed = SpeedWord::kSlow;
  ColourWord colour = ColourWord::kRed;
  ShapeWord shape = ShapeWord::kDisc;
  auto operator<=>(const ObjectWords&) const = default;
};

// Everything that a caption says. No two objects of a scene have the same colour, so a colour identifies one object.
struct WorldCaption {
  std::vector<ObjectWords> objects;
  BackgroundWord background = BackgroundWord::kBlack;
  auto operator<=>(const WorldCaption&) const = default;
};

// Red, green and blue, each in [0, 1].
using Rgb = std::array<double, 3>;

constexpr double kObjectSaturation = 0.9, kObjectValue = 0.95;
constexpr double kLandmarkSaturation = 0.35, kLandmarkValue = 0.8;
constexpr double kHueSpread = 12;  // degrees: largest difference between an object's hue and its word's

Rgb rgb_of_hsv(double hue_degrees, double saturation, double value);

double hue_of(ColourWord word);           // degrees
Rgb colour_of(BackgroundWord word);       // at half height, where the gradient is zero
double hue_distance(double a, double b);  // degrees, at most 180

}  // namespace sgf
