// One metric over the steps of a run, or of several, as an inline SVG picture that takes its colours from the page.
#pragma once

#include "sgf/runs/metrics_row.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sgf {

struct CurvePoint {
  int64_t step = 0;
  double value = 0;  // what is not finite is left out of the line and marked at the foot
};

// Positive values over more than two decades are drawn on a logarithmic axis, and the picture says so. Long series are
// thinned to the lowest and highest value of each pixel column, so that no spike is lost,
// and dense ones get a line of medians on top. The line is broken at gaps, which are shaded.
std::string draw_curve(const std::string& name, std::span<const CurvePoint> points, std::span<const StepGap> gaps = {});

struct NamedCurve {
  std::string name;
  std::string colour;  // as CSS writes it
  std::vector<CurvePoint> points;
};

// The same of several runs, on one pair of axes: each in its colour, its last value beside its name.
std::string draw_curves(const std::string& title, const std::vector<NamedCurve>& curves);

}  // namespace sgf
