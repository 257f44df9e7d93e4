#include "sgf/training/run/report_page.h"

#include "sgf/core/error.h"
#include "sgf/report/html_text.h"
#include "sgf/report/svg_curve.h"
#include "sgf/runs/metrics_log.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace sgf {

namespace assets {
extern const std::string_view reload_js;
}

namespace {

// 0 to 3 are seen first: losses, gradient norms, recovery, samples.
constexpr int kOtherCurve = 4;
int place_of(std::string_view name) {
  if (name.ends_with("loss")) return 0;
  if (name.ends_with("grad_norm")) return 1;
  if (name == "recovery_relative_l2") return 2;
  return name.starts_with("sample_") ? 3 : kOtherCurve;
}

// By place; within one, in the order of their first appearance.
std::vector<std::string> metric_names(const std::vector<MetricsRow>& rows) {
  std::vector<std::string> names;
  for (const MetricsRow& row : rows) {
    for (const Metric& metric : row.metrics) {
      if (std::find(names.begin(), names.end(), metric.name) == names.end()) names.push_back(metric.name);
    }
  }
  std::ranges::stable_sort(names, {}, place_of);
  return names;
}

std::vector<CurvePoint> points_of(const std::vector<MetricsRow>& rows, const std::string& name) {
  std::vector<CurvePoint> points;
  for (const MetricsRow& row : rows) {
    if (const double* value = row.find(name)) points.push_back({row.step, *value});
  }
  return points;
}

// Values that agree to rounding: a plot of them would show nothing but their number.
bool is_constant(const std::vector<CurvePoint>& points) {
  const double first = points.front().value;
  return std::ranges::all_of(points, [&](const CurvePoint& point) {
    return std::abs(point.value - first) <= 1e-9 * std::abs(first);  // false for NaN, which a curve marks
  });
}

std::string write_duration(double seconds) {
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string reload_script(const ReportReload& reload) {
  return fill_page(assets::reload_js, {{"seconds", std::to_string(reload.seconds)},
                                       {"written", std::to_string(reload.written)},
                                       {"patience", std::to_string(reload.patience)}});
}

std::string write_state(const ReportContents& contents) {
  if (contents.reload)
    return fmt::format(
        "<p class=\"soft\" id=\"live\">The run is in progress. This page reloads itself every {} s.</p>\n",
        contents.reload->seconds);
  return contents.end.empty() ? "" : fmt::format("<p class=\"soft\">Ended: {}.</p>\n", escape_html(contents.end));
}

std::string write_findings(const HealthVerdict& verdict) {
  std::string items;
  for (const HealthFinding& finding : verdict.findings)
    items += fmt::format("<li class=\"{0}\"><span class=\"level\">{0}</span>: {1} <code>{2}</code></li>",
                         enum_name(finding.level), escape_html(finding.reason), escape_html(finding.metric));
  return items.empty() ? "<p>Nothing stands out.</p>" : fmt::format("<ul>{}</ul>", items);
}

std::string write_verdict(const HealthVerdict& verdict) {
  std::string judged;
  for (const std::string& name : verdict.judged) judged += (judged.empty() ? "" : ", ") + escape_html(name);
  return fmt::format("<section class=\"verdict {0}\"><strong>Health: {0}</strong>{1}{2}</section>\n",
                     enum_name(verdict.level), write_findings(verdict),
                     judged.empty() ? "" : fmt::format("<p class=\"soft\">Judged from {}.</p>", judged));
}

std::string write_gaps(const std::vector<StepGap>& gaps) {
  if (gaps.empty()) return "";
  return fmt::format(
      "<p class=\"soft\">There are no metrics of {}: metrics.jsonl was truncated or removed. The curves have a gap "
      "there.</p>\n",
      describe_gaps(gaps));
}

std::string write_grid(const std::string& curves) {
  return curves.empty() ? "" : fmt::format("<div class=\"curves\">\n{}</div>\n", curves);
}

using ValueRows = std::vector<std::vector<std::string>>;  // metric and value

std::string write_values(const std::string& heading, const ValueRows& rows) {
  return rows.empty() ? "" : fmt::format("<h2>{}</h2>\n{}", heading, html_table({"metric", "value"}, rows));
}

std::string write_curves(const std::vector<MetricsRow>& rows, const std::vector<StepGap>& gaps) {
  if (rows.empty()) return "<p>No metrics yet.</p>\n";
  std::string first, others;
  int64_t folded = 0;
  ValueRows constants, single;  // a metric of one sample is not known to be constant
  for (const std::string& name : metric_names(rows)) {
    const std::vector<CurvePoint> points = points_of(rows, name);
    if (is_constant(points)) {
      (points.size() == 1 ? single : constants).push_back({name, fmt::format("{:.6g}", points.front().value)});
    } else if (place_of(name) < kOtherCurve) {
      first += draw_curve(name, points, gaps) + '\n';
    } else {
      others += draw_curve(name, points, gaps) + '\n';
      ++folded;
    }
  }
  const std::string fold = folded == 0 ? "" : fmt::format("<h2>More curves ({})</h2>\n{}", folded, write_grid(others));
  return write_grid(first) + fold + write_values("Constant so far", constants) +
         write_values("Single value so far", single);
}

std::string write_sample(const ReportSample& sample) {
  if (sample.mp4.empty()) return html_strips({{sample.caption, sample.png}});
  return fmt::format(
      "<figure><figcaption>{}</figcaption><video autoplay loop muted playsinline "
      "src=\"data:video/mp4;base64,{}\"></video></figure>\n",
      escape_html(sample.caption), encode_base64(sample.mp4));
}

struct SampleSections {
  std::string newest, earlier;  // above and below the curves
};

// The newest update's, which have videos where there are any, and the strips of earlier ones.
SampleSections write_samples(const std::vector<ReportSample>& samples) {
  std::string videos, strips;
  for (const ReportSample& sample : samples) (sample.mp4.empty() ? strips : videos) += write_sample(sample);
  if (videos.empty()) return {strips.empty() ? "" : "<h2>Samples, newest first</h2>\n" + strips, ""};
  return {fmt::format("<h2>Newest samples</h2>\n<div class=\"samples\">\n{}</div>\n", videos),
          strips.empty() ? "" : "<h2>Earlier samples</h2>\n" + strips};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> time_facts(const RunTimes& times) {
  std::vector<std::pair<std::string, std::string>> facts{{"wall time", write_duration(times.wall_seconds)}};
  if (!(times.steps_per_second > 0)) return facts;
  facts.emplace_back("speed", times.steps_per_second < 0.1
                                  ? fmt::format("{:.3g} s per update", 1 / times.steps_per_second)
                                  : fmt::format("{:.3g} updates/s", times.steps_per_second));
  if (times.steps_left > 0)
    facts.emplace_back("time left", write_duration(static_cast<double>(times.steps_left) / times.steps_per_second));
  return facts;
}

std::string write_report(const ReportContents& contents) {
  const std::string script = contents.reload ? reload_script(*contents.reload) : "";
  const SampleSections samples = write_samples(contents.samples);
  return html_page(contents.title,
                   html_facts(contents.facts) + write_state(contents) + write_verdict(contents.verdict) +
                       samples.newest + "<h2>Curves</h2>\n" + write_gaps(contents.gaps) +
                       write_curves(contents.rows, contents.gaps) + samples.earlier,
                   {.script = script});
}

void save_report(const std::filesystem::path& path, const ReportContents& contents) {
  save_page(path, write_report(contents));
}

}  // namespace sgf
