#include "sgf/report/svg_curve.h"

#include "sgf/core/error.h"
#include "sgf/report/html_text.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace sgf {
namespace {

// The picture, and the part of it that the axes span. In pixels; the page scales it.
constexpr double kWidth = 480, kHeight = 220;
constexpr double kLeft = 62, kRight = 456, kTop = 34, kBottom = 190;
constexpr int64_t kColumns = 400;

using Curve = std::vector<CurvePoint>;

// Values to pixels.
struct CurveAxes {
  double first_step = 0, last_step = 1;
  double low = 0, high = 1;  // of the value, or of its logarithm
  bool is_log = false;

  double x(double step) const { return kLeft + (kRight - kLeft) * (step - first_step) / (last_step - first_step); }
  double y(double value) const { return y_of_axis(is_log ? std::log10(value) : value); }
  double y_of_axis(double position) const { return kBottom - (kBottom - kTop) * (position - low) / (high - low); }
};

Curve finite_points(std::span<const CurvePoint> points) {
  Curve finite;
  std::copy_if(points.begin(), points.end(), std::back_inserter(finite),
               [](const CurvePoint& point) { return std::isfinite(point.value); });
  return finite;
}

bool by_value(const CurvePoint& a, const CurvePoint& b) { return a.value < b.value; }

// A flat line gets room above and below; a span of none cannot be divided by, nor can one at the end of the digits be
// given ticks: values that agree to rounding are a flat line too.
void widen(double& low, double& high) {
  const bool is_flat = high - low <= 1e-9 * std::max(std::abs(low), std::abs(high));
  const double room = is_flat ? std::max(std::abs(low) * 0.1, 1e-12) : 0.04 * (high - low);
  low -= room;
  high += room;
}

CurveAxes fit_axes(std::span<const CurvePoint> all, const Curve& finite) {
  CurveAxes axes;
  axes.first_step = static_cast<double>(all.front().step);
  axes.last_step = std::max(static_cast<double>(all.back().step), axes.first_step + 1);
  if (finite.empty()) return axes;
  const auto [lowest, highest] = std::minmax_element(finite.begin(), finite.end(), by_value);
  axes.is_log = lowest->value > 0 && highest->value > 100 * lowest->value;
  axes.low = axes.is_log ? std::log10(lowest->value) : lowest->value;
  axes.high = axes.is_log ? std::log10(highest->value) : highest->value;
  widen(axes.low, axes.high);
  return axes;
}

// The lowest and highest of each column, in the order of their steps.
Curve thin(const Curve& points, const CurveAxes& axes) {
  if (std::ssize(points) <= 2 * kColumns) return points;
  const double column_steps = (axes.last_step - axes.first_step) / kColumns;
  Curve out;
  for (auto begin = points.begin(); begin != points.end();) {
    const double column = std::floor((static_cast<double>(begin->step) - axes.first_step) / column_steps);
    const double end_step = axes.first_step + (column + 1) * column_steps;
    const auto end = std::find_if(begin + 1, points.end(),
                                  [&](const CurvePoint& p) { return static_cast<double>(p.step) >= end_step; });
    const auto [lowest, highest] = std::minmax_element(begin, end, by_value);
    out.push_back(std::min(lowest, highest) == lowest ? *lowest : *highest);
    if (lowest != highest) out.push_back(std::min(lowest, highest) == lowest ? *highest : *lowest);
    begin = end;
  }
  return out;
}

std::string draw_axes(const CurveAxes& axes) {
  std::string svg;
  for (const double tick : axis_ticks(axes.low, axes.high)) {
    const double y = axes.y_of_axis(tick);
    svg += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>", kLeft, y, kRight);
    svg += fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:.3g}</text>", kLeft - 6,
                       y + 4, axes.is_log ? std::pow(10, tick) : tick);
  }
  for (const double tick : axis_ticks(axes.first_step, axes.last_step)) {
    if (tick != std::floor(tick)) continue;  // there are no half steps
    svg += fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:.0f}</text>",
                       axes.x(tick), kBottom + 18, tick);
  }
  return svg;
}

// The medians of sixty stretches, which show through noise where the values are too dense to follow; else the values.
Curve trend_of(const Curve& points) {
  constexpr std::ptrdiff_t kStretches = 60, kDense = 4 * kStretches;
  if (std::ssize(points) < kDense) return points;
  Curve trend;
  for (std::ptrdiff_t i = 0; i < kStretches; ++i) {
    Curve stretch(points.begin() + i * std::ssize(points) / kStretches,
                  points.begin() + (i + 1) * std::ssize(points) / kStretches);
    const int64_t step = stretch[stretch.size() / 2].step;
    const auto middle = stretch.begin() + std::ssize(stretch) / 2;
    std::nth_element(stretch.begin(), middle, stretch.end(), by_value);
    trend.push_back({step, middle->value});
  }
  return trend;
}

bool lies_between(const StepGap& gap, const CurvePoint& a, const CurvePoint& b) {
  return a.step < gap.first && gap.last < b.step;
}

std::string draw_path(const char* look, const Curve& points, const CurveAxes& axes, std::span<const StepGap> gaps) {
  std::string path;
  for (size_t i = 0; i < points.size(); ++i) {
    const auto is_crossed = [&](const StepGap& gap) { return lies_between(gap, points[i - 1], points[i]); };
    const bool begins = i == 0 || std::any_of(gaps.begin(), gaps.end(), is_crossed);
    path += fmt::format("{}{:.1f} {:.1f}", begins ? "M" : "L", axes.x(static_cast<double>(points[i].step)),
                        axes.y(points[i].value));
  }
  return fmt::format("<path class=\"{}\" d=\"{}\"/>", look, path);
}

std::string draw_gaps(std::span<const StepGap> gaps, const CurveAxes& axes) {
  std::string svg;
  for (const StepGap& gap : gaps) {
    const double begin = axes.x(static_cast<double>(gap.first)), end = axes.x(static_cast<double>(gap.last));
    svg += fmt::format("<rect class=\"gap\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>", begin,
                       kTop, std::max(end - begin, 2.0), kBottom - kTop);
  }
  return svg;
}

std::string draw_line(const Curve& points, const CurveAxes& axes, std::span<const StepGap> gaps = {}) {
  if (points.empty()) return "";
  const Curve trend = trend_of(points);
  return draw_path("every", thin(points, axes), axes, gaps) + draw_path("line", trend, axes, gaps) +
         fmt::format("<circle class=\"dot\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"/>",
                     axes.x(static_cast<double>(trend.back().step)), axes.y(trend.back().value));
}

std::string draw_lost_values(std::span<const CurvePoint> points, const CurveAxes& axes) {
  std::string svg;
  double drawn = -1;  // one mark a pixel is enough
  for (const CurvePoint& point : points) {
    const double x = axes.x(static_cast<double>(point.step));
    if (std::isfinite(point.value) || x < drawn + 1) continue;
    svg += fmt::format("<path class=\"lost\" d=\"M{:.1f} {:.1f}v-6\"/>", x, kBottom);
    drawn = x;
  }
  return svg;
}

std::string last_value(const Curve& finite) {
  return finite.empty() ? "no finite value" : fmt::format("{:.4g}", finite.back().value);
}

const char* axis_note(const CurveAxes& axes) { return axes.is_log ? ", log axis" : ""; }

// Its name above on the left; `corner`, made of text and tspans, on the right.
std::string draw_picture(const std::string& name, const std::string& corner, const std::string& body) {
  return fmt::format(
      "<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">"
      "<text class=\"name\" x=\"8\" y=\"20\">{}</text>"
      "<text class=\"now\" x=\"{:.0f}\" y=\"20\" text-anchor=\"end\">{}</text>{}</svg>",
      kWidth, kHeight, escape_html(name), escape_html(name), kWidth - 10, corner, body);
}

}  // namespace

std::vector<double> axis_ticks(double low, double high) {
  const double rough = (high - low) / 4, decade = std::pow(10, std::floor(std::log10(rough)));
  const double mantissa = rough / decade;
  const double step = decade * (mantissa < 1.5 ? 1 : mantissa < 3.5 ? 2 : mantissa < 7.5 ? 5 : 10);
  std::vector<double> ticks;
  const double first = std::ceil(low / step);
  constexpr int kMostTicks = 16;  // and no more, where adding 1 to `first` is lost to rounding
  for (int i = 0; i < kMostTicks && (first + i) * step <= high; ++i)
    ticks.push_back(first + i == 0 ? 0 : (first + i) * step);
  return ticks;
}

std::string draw_curve(const std::string& name, std::span<const CurvePoint> points, std::span<const StepGap> gaps) {
  SGF_CHECK(!points.empty(), "no values of '{}' to draw", name);
  const Curve finite = finite_points(points);
  CurveAxes axes = fit_axes(points, finite);
  for (const StepGap& gap : gaps) {
    axes.first_step = std::min(axes.first_step, static_cast<double>(gap.first));
    axes.last_step = std::max(axes.last_step, static_cast<double>(gap.last));
  }
  return draw_picture(
      name, last_value(finite) + axis_note(axes),
      draw_axes(axes) + draw_gaps(gaps, axes) + draw_line(finite, axes, gaps) + draw_lost_values(points, axes));
}

std::string draw_curves(const std::string& title, const std::vector<NamedCurve>& curves) {
  Curve all;
  for (const NamedCurve& curve : curves) all.insert(all.end(), curve.points.begin(), curve.points.end());
  SGF_CHECK(!all.empty(), "no values of '{}' to draw", title);
  std::ranges::stable_sort(all, {}, &CurvePoint::step);
  const CurveAxes axes = fit_axes(all, finite_points(all));
  std::string names, body = draw_axes(axes);
  for (const NamedCurve& curve : curves) {
    const Curve finite = finite_points(curve.points);
    names += fmt::format("{}<tspan style=\"fill:{}\">{} {}</tspan>", names.empty() ? "" : "&#160;&#160;&#160;",
                         curve.colour, escape_html(curve.name), last_value(finite));
    body += fmt::format("<g style=\"--line:{}\">{}</g>{}", curve.colour, draw_line(finite, axes),
                        draw_lost_values(curve.points, axes));
  }
  return draw_picture(title + axis_note(axes), names, body);
}

}  // namespace sgf
