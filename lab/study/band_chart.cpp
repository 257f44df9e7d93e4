#include "lab/study/band_chart.h"

#include "sgf/core/error.h"
#include "sgf/report/html_text.h"
#include "sgf/report/svg_curve.h"

#include <algorithm>
#include <array>
#include <limits>

namespace sgf {
namespace {

constexpr double kChartLeft = 62, kChartRight = 462, kChartTop = 56, kChartBottom = 228;

// Told apart by most eyes, on light and dark paper.
constexpr std::array kCurveColours{"#7a7f8a", "#c98a1b", "#2f7fd6", "#d0492f", "#2c9c69", "#9a5fc4"};

struct ChartAxes {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  size_t moments = 1;

  void take(const Interval& i) {
    if (i.count == 0) return;
    low = std::min({low, i.low, i.mean});
    high = std::max({high, i.high, i.mean});
  }
  void finish() {
    if (low > high) low = 0, high = 1;
    const double room = std::max(0.05 * (high - low), 1e-6);
    low -= room, high += room;
  }
  double x(size_t moment) const {
    const double share = moments > 1 ? static_cast<double>(moment) / static_cast<double>(moments - 1) : 0.5;
    return kChartLeft + 12 + share * (kChartRight - kChartLeft - 24);
  }
  double y(double value) const { return kChartBottom - (kChartBottom - kChartTop) * (value - low) / (high - low); }
};

std::string chart_grid(const ChartAxes& axes, const std::vector<int64_t>& lengths) {
  std::string svg;
  for (const double tick : axis_ticks(axes.low, axes.high))
    svg += fmt::format(
        "<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:.3g}</text>",
        kChartLeft, axes.y(tick), kChartRight, kChartLeft - 6, axes.y(tick) + 4, tick);
  for (size_t i = 0; i < lengths.size(); ++i)
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}x</text>", axes.x(i),
                       kChartBottom + 18, lengths[i]);
  return svg;
}

std::string draw_band(const BandCurve& curve, const ChartAxes& axes, const char* colour) {
  std::string upper, lower, line, dots;
  for (size_t i = 0; i < curve.values.size(); ++i) {
    const Interval& v = curve.values[i];
    if (v.count == 0) continue;
    const double x = axes.x(i);
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
  double x = kChartLeft;
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
  ChartAxes axes{.moments = lengths.size()};
  for (const BandCurve& curve : curves) {
    SGF_CHECK(curve.values.size() == lengths.size(), "a curve of {} values over {} moments", curve.values.size(),
              lengths.size());
    for (const Interval& value : curve.values) axes.take(value);
  }
  axes.finish();
  std::string body;
  for (const BandCurve& curve : curves) body += draw_band(curve, axes, curve_colour(curve.place));
  return fmt::format(
      "<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\"><text class=\"name\" x=\"8\" "
      "y=\"20\">{}</text>{}{}{}</svg>",
      kChartWidth, kChartHeight, escape_html(title), escape_html(title), chart_legend(curves),
      chart_grid(axes, lengths), body);
}

}  // namespace sgf
