#include "lab/study/study_page.h"

#include "lab/study/study_figure.h"
#include "lab/study/study_tables.h"
#include "lab/study/study_words.h"
#include "sgf/core/error.h"
#include "sgf/report/html_page.h"
#include "sgf/report/html_text.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace sgf {
namespace {

// Empty without sentences.
std::string list_html(const std::string& title, const std::vector<std::string>& sentences) {
  std::string html;
  for (const std::string& sentence : sentences) html += fmt::format("<li>{}</li>\n", escape_html(sentence));
  if (html.empty()) return "";
  return fmt::format("{}<ul>\n{}</ul>\n", title.empty() ? "" : fmt::format("<p>{}</p>\n", escape_html(title)), html);
}

// The first sentence is the verdict, the others are its evidence.
std::string verdict_html(const Study& study, const GranularityFindings& f) {
  std::vector<std::string> sentences = conclusions_of(study, f);
  const std::string first = sentences.front();
  sentences.erase(sentences.begin());
  const PreconditionVerdict precondition = judge_precondition(study, f);
  const Tally tally = tally_of(study, f);
  const bool is_for = is_sound(study, f) && f.pairs.size() > 1 && tally.better_holds > 0 && tally.worse_holds == 0;
  return fmt::format("<div class=\"verdict {}\"><strong>{}</strong>\n{}{}{}{}</div>\n", is_for ? "good" : "watch",
                     escape_html(first), list_html("", sentences),
                     list_html("Preconditions of the study:", precondition.sentences),
                     list_html("Change since the initial student:", start_sentences(study, f)),
                     list_html("After twice the steps:", twice_sentences(study, f)));
}

std::string charts_html(const GranularityFindings& f) {
  std::string html;
  for (const StudyMetric& metric : study_metrics()) {
    const std::string chart = metric_chart(f, metric);
    if (!chart.empty()) html += chart + '\n';
  }
  return html.empty() ? "" : fmt::format("<h2>Over time</h2>\n<div class=\"curves\">\n{}</div>\n", html);
}

// Only base64 characters go into the page, since the file may be foreign.
bool is_base64(const std::string& text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '/' ||
           c == '=';
  });
}

std::string strips_html(const Study& study, const GranularityFindings& f, const std::vector<ArmResult>& results) {
  std::string html;
  for (const ArmResult& result : results) {
    const auto found = result.json.find("strip");
    const std::string strip = found != result.json.end() && found->is_string() ? found->get<std::string>() : "";
    if (result.arm.granularity != f.granularity || result.arm.pair > 1 || strip.empty() || !is_base64(strip)) continue;
    html += fmt::format(
        "<figure><figcaption>{0}</figcaption><img alt=\"{0}\" src=\"data:image/png;base64,{1}\"></figure>\n",
        escape_html(result.arm.id()), strip);
  }
  if (html.empty()) return "";
  return fmt::format(
      "<h2>Strips</h2>\n<p class=\"soft\">One row per prompt, with the same prompts and noise in all arms: the first "
      "frame, then the last frame of each segment ({}x).</p>\n{}",
      fmt::join(study.evaluation().segments, "x, "), html);
}

std::string tables_html(const std::vector<StudyTable>& tables) {
  std::string html;
  for (const StudyTable& table : tables) {
    html += fmt::format("<h2>{}</h2>\n<div class=\"wide\">{}</div>\n", escape_html(table.title),
                        html_table(table.head, table.rows));
    if (!table.note.empty()) html += fmt::format("<p class=\"soft\">{}</p>\n", escape_html(table.note));
  }
  return html;
}

// "1024 chunk-wise, 512 frame-wise"
std::string prompts_words(const Study& study, const std::vector<GranularityFindings>& all) {
  std::vector<std::string> words;
  for (const GranularityFindings& f : all)
    words.push_back(fmt::format("{} {}", study.prompts(f.granularity), words_of(f.granularity)));
  return fmt::format("{}{}", fmt::join(words, ", "), study.is_selection ? ", selection prompts" : "");
}

}  // namespace

std::string study_page(const Study& study, const std::vector<GranularityFindings>& all,
                       const std::vector<ArmResult>& results, const std::string& build) {
  std::string body = html_facts({{"recipe", study.file.path.filename().string()},
                                 {"sha256", study.file.sha256},
                                 {"prompts", prompts_words(study, all)},
                                 {"build", build.substr(0, build.find('\n'))}});
  for (const GranularityFindings& f : all) {
    body += fmt::format("<h2>{}</h2>\n", escape_html(words_of(f.granularity))) + verdict_html(study, f) +
            charts_html(f) + strips_html(study, f, results) + tables_html(tables_of(study, f, results));
  }
  return html_page(fmt::format("Self Forcing and Self Gradient Forcing: {}", study.recipe().name), body);
}

}  // namespace sgf
