#include "lab/study/study_figure.h"

#include "lab/study/band_chart.h"
#include "lab/study/study_words.h"
#include "sgf/report/html_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sgf {

namespace assets {
extern const std::string_view study_figure_svg;
}

namespace {

constexpr double kFigureTop = 34;
constexpr std::string_view kSvg = "<svg ";

size_t place_of(std::string_view arm) {
  constexpr std::array<std::string_view, 4> kArms{"truth", "initial", "SF", "SGF"};
  return static_cast<size_t>(std::ranges::find(kArms, arm) - kArms.begin());
}

// Places a chart at its position, in its own size.
std::string placed(const std::string& chart, double x) {
  return fmt::format("<svg x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" {}", x, kFigureTop, kChartWidth,
                     kChartHeight, chart.substr(kSvg.size()));
}

}  // namespace

std::string metric_chart(const GranularityFindings& findings, const StudyMetric& metric) {
  std::vector<BandCurve> curves;
  std::vector<int64_t> lengths;
  for (const ArmCurve& curve : findings.curves) {
    if (curve.metric != metric.name) continue;
    curves.push_back({curve.arm, curve.values, place_of(curve.arm)});
    lengths = curve.lengths;
  }
  return curves.empty() ? "" : draw_bands(std::string(metric.words), lengths, curves);
}

std::string study_figure(const Study& study, const GranularityFindings& findings) {
  std::string charts;
  double x = 0;
  for (const std::string& name : study.recipe().analysis.headline) {
    const std::string chart = metric_chart(findings, study_metric(name));
    if (chart.empty()) continue;
    charts += placed(chart, x);
    x += kChartWidth;
  }
  if (charts.empty()) return "";
  return fill_page(assets::study_figure_svg,
                   {{"width", fmt::format("{:.0f}", x)},
                    {"height", fmt::format("{:.0f}", kFigureTop + kChartHeight)},
                    {"title", fmt::format("{}, {} pair{}: means and intervals, over multiples of the training length",
                                          words_of(findings.granularity), findings.pairs.size(),
                                          findings.pairs.size() == 1 ? "" : "s")},
                    {"charts", charts}});
}

}  // namespace sgf
