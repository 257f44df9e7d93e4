#include "sgf/report/svg_curve.h"

#include "sgf/core/error.h"
#include "sgf/report/html_text.h"
#include "sgf/report/svg_axes.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace sgf {
namespace {

constexpr double kWidth = 480, kHeight = 220;
constexpr ChartArea kArea{.left = 62, .right = 456, .top = 34, .bottom = 190};
constexpr int64_t kColumns = 400;

using Curve = std::vector<CurvePoint>;

Curve finite_points(std::span<const CurvePoint> points) {
  Curve finite;
  std::copy_if(points.begin(), points.end(), std::back_inserter(finite),
               [](const CurvePoint& point) { return std::isfinite(point.value); });
  return finite;
}

bool by_value(const CurvePoint& a, const CurvePoint& b) { return a.value < b.value; }

// A flat line gets room above and below: a zero span cannot be divided by. Values that are equal up to rounding count
// as flat too, since such a span has no ticks.
void widen(double& low, double& high) {
  const bool is_flat = high - low <= 1e-9 * std::max(std::abs(low), std::abs(high));
  const double room = is_flat ? std::max(std::abs(low) * 0.1, 1e-12) : 0.04 * (high - low);
  low -= room;
  high += room;
}

ChartAxes fit_axes(std::span<const CurvePoint> all, const Curve& finite) {
  ChartAxes axes{.area = kArea};
  axes.first = static_cast<double>(all.front().step);
  axes.last = std::max(static_cast<double>(all.back().step), axes.first + 1);
  if (finite.empty()) return axes;
  const auto [lowest, highest] = std::minmax_element(finite.begin(), finite.end(), by_value);
  axes.is_log = lowest->value > 0 && highest->value > 100 * lowest->value;
  axes.low = axes.is_log ? std::log10(lowest->value) : lowest->value;
  axes.high = axes.is_log ? std::log10(highest->value) : highest->value;
  widen(axes.low, axes.high);
  return axes;
}

// The lowest and highest of each column, in the order of their steps.
Curve thin(const Curve& points, const ChartAxes& axes) {
  if (std::ssize(points) <= 2 * kColumns) return points;
  const double column_steps = (axes.last - axes.first) / kColumns;
  Curve out;
  for (auto begin = points.begin(); begin != points.end();) {
    const double column = std::floor((static_cast<double>(begin->step) - axes.first) / column_steps);
    const double end_step = axes.first + (column + 1) * column_steps;
    const auto end = std::find_if(begin + 1, points.end(),
                                  [&](const CurvePoint& p) { return static_cast<double>(p.step) >= end_step; });
    const auto [lowest, highest] = std::minmax_element(begin, end, by_value);
    out.push_back(std::min(lowest, highest) == lowest ? *lowest : *highest);
    if (lowest != highest) out.push_back(std::min(lowest, highest) == lowest ? *highest : *lowest);
    begin = end;
  }
  return out;
}

std::string draw_axes(const ChartAxes& axes) {
  std::string svg = draw_value_ticks(axes);
  for (const double tick : axis_ticks(axes.first, axes.last))
    if (tick == std::floor(tick)) svg += draw_x_label(axes, tick, fmt::format("{:.0f}", tick));  // whole steps only
  return svg;
}

// Medians of sixty intervals, which show the trend of dense, noisy values; few values are kept as they are.
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

std::string draw_path(const char* look, const Curve& points, const ChartAxes& axes, std::span<const StepGap> gaps) {
  std::string path;
  for (size_t i = 0; i < points.size(); ++i) {
    const auto is_crossed = [&](const StepGap& gap) { return lies_between(gap, points[i - 1], points[i]); };
    const bool begins = i == 0 || std::any_of(gaps.begin(), gaps.end(), is_crossed);
    path += fmt::format("{}{:.1f} {:.1f}", begins ? "M" : "L", axes.x(static_cast<double>(points[i].step)),
                        axes.y(points[i].value));
  }
  return fmt::format("<path class=\"{}\" d=\"{}\"/>", look, path);
}

std::string draw_gaps(std::span<const StepGap> gaps, const ChartAxes& axes) {
  std::string svg;
  for (const StepGap& gap : gaps) {
    const double begin = axes.x(static_cast<double>(gap.first)), end = axes.x(static_cast<double>(gap.last));
    svg += fmt::format("<rect class=\"gap\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>", begin,
                       kArea.top, std::max(end - begin, 2.0), kArea.bottom - kArea.top);
  }
  return svg;
}

std::string draw_line(const Curve& points, const ChartAxes& axes, std::span<const StepGap> gaps = {}) {
  if (points.empty()) return "";
  const Curve trend = trend_of(points);
  return draw_path("every", thin(points, axes), axes, gaps) + draw_path("line", trend, axes, gaps) +
         fmt::format("<circle class=\"dot\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"/>",
                     axes.x(static_cast<double>(trend.back().step)), axes.y(trend.back().value));
}

std::string draw_lost_values(std::span<const CurvePoint> points, const ChartAxes& axes) {
  std::string svg;
  double drawn = -1;  // one mark per pixel is enough
  for (const CurvePoint& point : points) {
    const double x = axes.x(static_cast<double>(point.step));
    if (std::isfinite(point.value) || x < drawn + 1) continue;
    svg += fmt::format("<path class=\"lost\" d=\"M{:.1f} {:.1f}v-6\"/>", x, kArea.bottom);
    drawn = x;
  }
  return svg;
}

std::string last_value(const Curve& finite) {
  return finite.empty() ? "no finite value" : fmt::format("{:.4g}", finite.back().value);
}

const char* axis_note(const ChartAxes& axes) { return axes.is_log ? ", log axis" : ""; }

// With the last values, as text and tspans, at the top right.
std::string draw_picture(const std::string& name, const std::string& values, const std::string& body) {
  return draw_chart(kWidth, kHeight, name,
                    fmt::format("<text class=\"now\" x=\"{:.0f}\" y=\"20\" text-anchor=\"end\">{}</text>{}",
                                kWidth - 10, values, body));
}

}  // namespace

std::string draw_curve(const std::string& name, std::span<const CurvePoint> points, std::span<const StepGap> gaps) {
  SGF_CHECK(!points.empty(), "no values of '{}' to draw", name);
  const Curve finite = finite_points(points);
  ChartAxes axes = fit_axes(points, finite);
  for (const StepGap& gap : gaps) {
    axes.first = std::min(axes.first, static_cast<double>(gap.first));
    axes.last = std::max(axes.last, static_cast<double>(gap.last));
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
  const ChartAxes axes = fit_axes(all, finite_points(all));
  std::string names, body = draw_axes(axes);
  for (const NamedCurve& curve : curves) {
    const Curve finite = finite_points(curve.points);
    names += fmt::format("{}<tspan fill=\"{}\">{} {}</tspan>", names.empty() ? "" : "&#160;&#160;&#160;", curve.colour,
                         escape_html(curve.name), last_value(finite));
    body += fmt::format("<g color=\"{}\">{}</g>{}", curve.colour, draw_line(finite, axes),
                        draw_lost_values(curve.points, axes));
  }
  return draw_picture(title + axis_note(axes), names, body);
}

}  // namespace sgf
