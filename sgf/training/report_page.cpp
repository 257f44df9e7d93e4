#include "sgf/training/report_page.h"

#include "sgf/core/atomic_file.h"
#include "sgf/core/error.h"
#include "sgf/training/html_text.h"
#include "sgf/training/svg_curve.h"

#include <algorithm>
#include <string_view>

namespace sgf {
namespace {

// Colours are named once and turned over for dark rooms.
constexpr std::string_view kReportStyle = R"(
:root{color-scheme:light dark;--back:#fbfaf8;--card:#fff;--ink:#1d2026;--soft:#676d78;--rule:#e4e2dd;--line:#2f6fd0;
--good:#1d7f4f;--watch:#a36100;--bad:#c0322b}
@media (prefers-color-scheme:dark){:root{--back:#14161a;--card:#1c1f25;--ink:#e8e6e1;--soft:#9aa0ab;--rule:#31353d;
--line:#79adff;--good:#5fcf96;--watch:#f0b04e;--bad:#ff857d}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1080px;padding:32px 20px 64px;background:var(--back);color:var(--ink);
font:15px/1.5 system-ui,sans-serif}
h1{font-size:26px;margin:0 0 4px}h2{font-size:17px;margin:36px 0 12px}
dl{display:flex;flex-wrap:wrap;gap:4px 28px;margin:0 0 20px;color:var(--soft)}
dl div{display:flex;gap:8px}dd{margin:0;color:var(--ink)}
.verdict{background:var(--card);border:1px solid var(--rule);border-left:5px solid var(--level);border-radius:6px;
padding:14px 18px}
.verdict strong,.level{color:var(--level)}.verdict strong{font-size:18px}.verdict p{margin:4px 0 0}
.verdict ul{margin:8px 0 0;padding-left:20px}code,.soft{color:var(--soft)}
.good{--level:var(--good)}.watch{--level:var(--watch)}.bad{--level:var(--bad)}
.curves{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,420px),1fr));gap:14px}
svg{width:100%;background:var(--card);border:1px solid var(--rule);border-radius:6px}
svg text{fill:var(--soft);font:12px system-ui,sans-serif}svg .name{fill:var(--ink);font-size:14px;font-weight:600}
svg .now{fill:var(--line);font-size:13px}.grid{stroke:var(--rule)}
.every,.line{fill:none;stroke:var(--line);stroke-linejoin:round}.every{opacity:.3}.line{stroke-width:1.8}
.dot{fill:var(--line)}.lost{stroke:var(--bad);stroke-width:2}
figure{margin:0 0 16px}figcaption{color:var(--soft);margin-bottom:4px}
img{max-width:100%;border-radius:4px;display:block;image-rendering:auto}
)";

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

std::string write_facts(const ReportContents& contents) {
  std::string html;
  for (const auto& [name, value] : contents.facts)
    html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", escape_html(name), escape_html(value));
  return html.empty() ? "" : fmt::format("<dl>{}</dl>\n", html);
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

std::string write_curves(const std::vector<MetricsRow>& rows) {
  std::string curves;
  for (const std::string& name : metric_names(rows)) curves += draw_curve(name, points_of(rows, name)) + '\n';
  return curves.empty() ? "<p>No metrics yet.</p>\n" : fmt::format("<div class=\"curves\">\n{}</div>\n", curves);
}

std::string write_strips(const std::vector<ReportStrip>& strips) {
  std::string figures;
  for (const ReportStrip& strip : strips)
    figures += fmt::format(
        "<figure><figcaption>{0}</figcaption><img alt=\"{0}\" src=\"data:image/png;base64,{1}\"></figure>\n",
        escape_html(strip.caption), encode_base64(strip.png));
  return figures.empty() ? "" : "<h2>Samples</h2>\n" + figures;
}

}  // namespace

std::string write_report(const ReportContents& contents) {
  const std::string title = escape_html(contents.title);
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>{}</title>\n"
      "<style>{}</style></head>\n<body>\n<h1>{}</h1>\n{}{}{}<h2>Curves</h2>\n{}</body></html>\n",
      title, kReportStyle, title, write_facts(contents), write_verdict(contents.verdict), write_strips(contents.strips),
      write_curves(contents.rows));
}

void save_report(const std::filesystem::path& path, const ReportContents& contents) {
  AtomicFile file(path);
  file.write(write_report(contents));
  file.commit();
}

}  // namespace sgf
