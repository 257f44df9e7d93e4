// Several curves over time with bands of confidence, as an inline SVG picture. Torch-free.
#pragma once

#include "lab/study/bootstrap.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sgf {

constexpr double kChartWidth = 480, kChartHeight = 260;

// Of the curve at so many places after the first: a page may use it for the same thing elsewhere.
const char* curve_colour(size_t place);

struct BandCurve {
  std::string name;
  std::vector<Interval> values;  // one a moment; those without values are left out
  size_t place = 0;              // of its colour: the same thing has the same one in every chart
};

// Moments, multiples of the training length, stand at equal distances: they are chosen to be spread on a logarithm.
std::string draw_bands(const std::string& title, const std::vector<int64_t>& lengths,
                       const std::vector<BandCurve>& curves);

}  // namespace sgf
