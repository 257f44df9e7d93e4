#include "sgf/training/run/report_page.h"

#include "sgf/core/error.h"
#include "sgf/report/html_text.h"
#include "sgf/report/svg_curve.h"
#include "sgf/runs/metrics_log.h"

#include <algorithm>
#include <string_view>

namespace sgf {
namespace {

// In the order of their first appearance, which is the order they were reported in.
std::vector<std::string> metric_names(const std::vector<MetricsRow>& rows) {
  std::vector<std::string> names;
  for (const MetricsRow& row : rows) {
    for (const Metric& metric : row.metrics) {
      if (std::find(names.begin(), names.end(), metric.name) == names.end()) names.push_back(metric.name);
    }
  }
  return names;
}

std::vector<CurvePoint> points_of(const std::vector<MetricsRow>& rows, const std::string& name) {
  std::vector<CurvePoint> points;
  for (const MetricsRow& row : rows) {
    if (const double* value = row.find(name)) points.push_back({row.step, *value});
  }
  return points;
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
      "<p class=\"soft\">There are no metrics of {}: metrics.jsonl was cut or removed. The curves have a gap "
      "there.</p>\n",
      describe_gaps(gaps));
}

std::string write_curves(const std::vector<MetricsRow>& rows, const std::vector<StepGap>& gaps) {
  std::string curves;
  for (const std::string& name : metric_names(rows)) curves += draw_curve(name, points_of(rows, name), gaps) + '\n';
  return curves.empty() ? "<p>No metrics yet.</p>\n" : fmt::format("<div class=\"curves\">\n{}</div>\n", curves);
}

}  // namespace

std::string write_report(const ReportContents& contents) {
  const std::string strips = contents.strips.empty() ? "" : "<h2>Samples</h2>\n" + html_strips(contents.strips);
  return html_page(contents.title, html_facts(contents.facts) + write_verdict(contents.verdict) + strips +
                                       "<h2>Curves</h2>\n" + write_gaps(contents.gaps) +
                                       write_curves(contents.rows, contents.gaps));
}

void save_report(const std::filesystem::path& path, const ReportContents& contents) {
  save_page(path, write_report(contents));
}

}  // namespace sgf
