#include "sgf/report/html_page.h"

#include "sgf/core/error.h"
#include "sgf/files/atomic_file.h"
#include "sgf/report/html_text.h"

namespace sgf {

namespace assets {
extern const std::string_view page_html, page_css, page_script_html;
}

namespace {

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

std::string html_page(const std::string& title, const std::string& body, const PageExtras& extras) {
  const std::string style = std::string(assets::page_css).append(extras.style);
  const std::string script =
      extras.script.empty() ? "" : fill_page(assets::page_script_html, {{"script", extras.script}});
  return fill_page(assets::page_html,
                   {{"title", escape_html(title)}, {"style", style}, {"body", body}, {"script", script}});
}

void save_page(const std::filesystem::path& path, const std::string& html) {
  AtomicFile file(path);
  file.write(html);
  file.commit();
}

}  // namespace sgf
