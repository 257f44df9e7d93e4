// Several curves over time with confidence bands, as an inline SVG image. Torch-free.
#pragma once

#include "lab/study/bootstrap.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sgf {

constexpr double kChartWidth = 480, kChartHeight = 260;

// The colour of the curve at this place, for use elsewhere on the page.
const char* curve_colour(size_t place);

struct BandCurve {
  std::string name;
  std::vector<Interval> values;  // one per moment; missing ones are omitted
  size_t place = 0;              // selects its colour: an arm has the same colour in every chart
};

// Moments are multiples of the training length, drawn at equal distances, since they are chosen on a logarithmic scale.
std::string draw_bands(const std::string& title, const std::vector<int64_t>& lengths,
                       const std::vector<BandCurve>& curves);

}  // namespace sgf
