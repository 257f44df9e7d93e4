// A metric over the steps of one or several runs, as an inline SVG image that takes its colours from the page.
#pragma once

#include "sgf/runs/metrics_row.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sgf {

struct CurvePoint {
  int64_t step = 0;
  double value = 0;  // non-finite values are omitted from the line and marked at the bottom
};

// Positive values over more than two decades get a logarithmic axis with a note. Long series are thinned to the lowest
// and highest value per pixel column, so that no spike is lost, and dense ones get a line of medians on top. The line
// is interrupted at gaps, which are shaded.
std::string draw_curve(const std::string& name, std::span<const CurvePoint> points, std::span<const StepGap> gaps = {});

struct NamedCurve {
  std::string name;
  std::string colour;  // a CSS colour
  std::vector<CurvePoint> points;
};

// The same for several runs on shared axes: each in its colour, with its last value beside its name.
std::string draw_curves(const std::string& title, const std::vector<NamedCurve>& curves);

}  // namespace sgf
