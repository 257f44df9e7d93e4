#include "lab/study/band_chart.h"

#include "sgf/core/error.h"
#include "sgf/report/html_text.h"
#include "sgf/report/svg_axes.h"

#include <algorithm>
#include <array>
#include <limits>

namespace sgf {
namespace {

constexpr ChartArea kArea{.left = 62, .right = 462, .top = 56, .bottom = 228, .margin = 12};

// Distinguishable for most people, on light and dark backgrounds.
constexpr std::array kCurveColours{"#7a7f8a", "#c98a1b", "#2f7fd6", "#d0492f", "#2c9c69", "#9a5fc4"};

// Moments at equal distances along x.
ChartAxes fit_axes(size_t moments, const std::vector<BandCurve>& curves) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const BandCurve& curve : curves) {
    SGF_CHECK(curve.values.size() == moments, "a curve must have one value per moment, got {} values for {} moments",
              curve.values.size(), moments);
    for (const Interval& value : curve.values) {
      if (value.count == 0) continue;
      low = std::min({low, value.low, value.mean});
      high = std::max({high, value.high, value.mean});
    }
  }
  if (low > high) low = 0, high = 1;
  const double room = std::max(0.05 * (high - low), 1e-6);
  return {.area = kArea, .last = static_cast<double>(moments) - 1, .low = low - room, .high = high + room};
}

std::string chart_grid(const ChartAxes& axes, const std::vector<int64_t>& lengths) {
  std::string svg = draw_value_ticks(axes);
  for (size_t i = 0; i < lengths.size(); ++i)
    svg += draw_x_label(axes, static_cast<double>(i), fmt::format("{}x", lengths[i]));
  return svg;
}

std::string draw_band(const BandCurve& curve, const ChartAxes& axes, const char* colour) {
  std::string upper, lower, line, dots;
  for (size_t i = 0; i < curve.values.size(); ++i) {
    const Interval& v = curve.values[i];
    if (v.count == 0) continue;
    const double x = axes.x(static_cast<double>(i));
    upper += fmt::format("{}{:.1f} {:.1f}", upper.empty() ? "M" : "L", x, axes.y(v.high));
    lower = fmt::format("L{:.1f} {:.1f}", x, axes.y(v.low)) + lower;
    line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? "M" : "L", x, axes.y(v.mean));
    dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\"/>", x, axes.y(v.mean), colour);
  }
  if (line.empty()) return "";
  return fmt::format(
      "<path d=\"{}{}Z\" fill=\"{}\" opacity=\".18\"/><path d=\"{}\" fill=\"none\" stroke=\"{}\" "
      "stroke-width=\"1.8\"/>{}",
      upper, lower, colour, line, colour, dots);
}

std::string chart_legend(const std::vector<BandCurve>& curves) {
  std::string svg;
  double x = kArea.left;
  for (const BandCurve& curve : curves) {
    svg +=
        fmt::format("<path d=\"M{:.1f} 38h18\" stroke=\"{}\" stroke-width=\"3\"/><text x=\"{:.1f}\" y=\"42\">{}</text>",
                    x, curve_colour(curve.place), x + 23, escape_html(curve.name));
    x += 40 + 7 * static_cast<double>(curve.name.size());
  }
  return svg;
}

}  // namespace

const char* curve_colour(size_t place) { return kCurveColours[place % kCurveColours.size()]; }

std::string draw_bands(const std::string& title, const std::vector<int64_t>& lengths,
                       const std::vector<BandCurve>& curves) {
  const ChartAxes axes = fit_axes(lengths.size(), curves);
  std::string body = chart_legend(curves) + chart_grid(axes, lengths);
  for (const BandCurve& curve : curves) body += draw_band(curve, axes, curve_colour(curve.place));
  return draw_chart(kChartWidth, kChartHeight, title, body);
}

}  // namespace sgf
