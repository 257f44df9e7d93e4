#include "sgf/report/svg_axes.h"

#include "sgf/report/html_text.h"

#include <fmt/format.h>

#include <cmath>

namespace sgf {
namespace {

double y_of_position(const ChartAxes& axes, double position) {
  const ChartArea& area = axes.area;
  return area.bottom - (area.bottom - area.top) * (position - axes.low) / (axes.high - axes.low);
}

}  // namespace

double ChartAxes::x(double at) const {
  const double begin = area.left + area.margin, width = area.right - area.left - 2 * area.margin;
  return last > first ? begin + width * (at - first) / (last - first) : begin + width / 2;
}

double ChartAxes::y(double value) const { return y_of_position(*this, is_log ? std::log10(value) : value); }

std::string draw_value_ticks(const ChartAxes& axes) {
  std::string svg;
  for (const double tick : axis_ticks(axes.low, axes.high)) {
    const double y = y_of_position(axes, tick);
    svg += fmt::format(
        "<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:.3g}</text>",
        axes.area.left, y, axes.area.right, axes.area.left - 6, y + 4, axes.is_log ? std::pow(10, tick) : tick);
  }
  return svg;
}

std::string draw_x_label(const ChartAxes& axes, double at, const std::string& label) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>", axes.x(at),
                     axes.area.bottom + 18, label);
}

std::string draw_chart(double width, double height, const std::string& title, const std::string& body) {
  return fmt::format(
      "<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" aria-label=\"{2}\">"
      "<text class=\"name\" x=\"8\" y=\"20\">{2}</text>{3}</svg>",
      width, height, escape_html(title), body);
}

std::vector<double> axis_ticks(double low, double high) {
  const double rough = (high - low) / 4, decade = std::pow(10, std::floor(std::log10(rough)));
  const double mantissa = rough / decade;
  const double step = decade * (mantissa < 1.5 ? 1 : mantissa < 3.5 ? 2 : mantissa < 7.5 ? 5 : 10);
  std::vector<double> ticks;
  const double first = std::ceil(low / step);
  constexpr int kMostTicks = 16;  // a limit, in case adding 1 to `first` is lost to rounding
  for (int i = 0; i < kMostTicks && (first + i) * step <= high; ++i)
    ticks.push_back(first + i == 0 ? 0 : (first + i) * step);
  return ticks;
}

}  // namespace sgf
