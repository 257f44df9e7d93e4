#include "sgf/report/html_page.h"

#include "sgf/core/error.h"
#include "sgf/files/atomic_file.h"
#include "sgf/report/html_text.h"

namespace sgf {
namespace {

// Colours are named once and turned over for dark rooms.
constexpr std::string_view kPageStyle = R"(
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
.dot{fill:var(--line)}.lost{stroke:var(--bad);stroke-width:2}.gap{fill:var(--bad);fill-opacity:.15}
figure{margin:0 0 16px}figcaption{color:var(--soft);margin-bottom:4px}
table{border-collapse:collapse;background:var(--card)}th,td{border:1px solid var(--rule);padding:5px 12px;text-align:right}
th:first-child,td:first-child{text-align:left}th{color:var(--soft);font-weight:600}
img{max-width:100%;border-radius:4px;display:block;image-rendering:auto}
video{width:100%;border-radius:4px;display:block}summary{cursor:pointer;color:var(--soft);margin:0 0 12px}
pre{background:var(--card);border:1px solid var(--rule);border-radius:6px;padding:8px 12px;margin:2px 0 12px;overflow-x:auto}
pre code{color:var(--ink)}
)";

std::string html_row(const std::vector<std::string>& cells, const char* tag) {
  std::string html;
  for (const std::string& cell : cells) html += fmt::format("<{0}>{1}</{0}>", tag, escape_html(cell));
  return fmt::format("<tr>{}</tr>\n", html);
}

}  // namespace

std::string html_facts(const std::vector<std::pair<std::string, std::string>>& facts) {
  std::string html;
  for (const auto& [name, value] : facts)
    html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", escape_html(name), escape_html(value));
  return html.empty() ? "" : fmt::format("<dl>{}</dl>\n", html);
}

std::string html_strips(const std::vector<ReportStrip>& strips) {
  std::string figures;
  for (const ReportStrip& strip : strips)
    figures += fmt::format(
        "<figure><figcaption>{0}</figcaption><img alt=\"{0}\" src=\"data:image/png;base64,{1}\"></figure>\n",
        escape_html(strip.caption), encode_base64(strip.png));
  return figures;
}

std::string html_table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows) {
  std::string html = html_row(head, "th");
  for (const auto& row : rows) html += html_row(row, "td");
  return fmt::format("<table>\n{}</table>\n", html);
}

std::string html_page(const std::string& title, const std::string& body) {
  const std::string name = escape_html(title);
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>{}</title>\n"
      "<style>{}</style></head>\n<body>\n<h1>{}</h1>\n{}</body></html>\n",
      name, kPageStyle, name, body);
}

void save_page(const std::filesystem::path& path, const std::string& html) {
  AtomicFile file(path);
  file.write(html);
  file.commit();
}

}  // namespace sgf
