#include "lab/study/study_report.h"

#include "lab/study/findings.h"
#include "lab/study/study_figure.h"
#include "lab/study/study_tables.h"
#include "lab/study/study_words.h"
#include "sgf/core/error.h"
#include "sgf/files/atomic_file.h"
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

// The study as one page: findings, curves, strips and tables.
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

using Json = nlohmann::json;

Json to_json(const Interval& i) {
  if (i.count == 0) return nullptr;
  return {{"mean", i.mean}, {"low", i.low}, {"high", i.high}, {"values", i.count}};
}

Json to_json(const Comparison& c) {
  Json json{{"metric", c.metric},
            {"length", c.length},
            {"sf", to_json(c.sf)},
            {"sgf", to_json(c.sgf)},
            {"difference", to_json(c.difference)},
            {"p", c.difference.p},
            {"holds", c.holds},
            {"pairs", c.pairs}};
  json["verdict"] = study_metric(c.metric).better == Better::kNeither ? Json() : Json(enum_name(c.verdict));
  return json;
}

Json to_json(const Growth& g) {
  Json json{{"metric", g.metric}, {"student", g.student}, {"truth", g.truth}, {"grows", g.does_grow}};
  for (const Interval& step : g.steps) json["steps"].push_back(to_json(step));
  return json;
}

Json closeness_json(const Study& study, const Closeness& c) {
  Json json{{"metric", c.metric},
            {"student", c.student},
            {"teacher", c.teacher},
            {"raw_relative_difference", c.raw_relative_difference()},
            {"compared_as", enum_name(study_metric(c.metric).whole)},
            {"decides", does_decide(study, c)}};
  if (!c.difference()) return json;
  json["difference"] = *c.difference();
  json["relative_difference"] = *c.relative_difference();
  json["is_close"] = c.is_close;
  return json;
}

Json precondition_json(const Study& study, const GranularityFindings& f) {
  const PreconditionVerdict verdict = judge_precondition(study, f);
  Json json{{"has_good_teacher", verdict.has_good_teacher},
            {"teacher_valid", f.teacher_valid ? Json(*f.teacher_valid) : Json()},
            {"truth_valid", f.truth_valid ? Json(*f.truth_valid) : Json()},
            {"is_close", verdict.is_close},
            {"closeness_rule", kClosenessRule},
            {"does_grow", verdict.does_grow},
            {"words", verdict.sentences}};
  for (const Closeness& c : f.closeness) json["closeness"].push_back(closeness_json(study, c));
  for (const Growth& g : f.growth) json["growth"].push_back(to_json(g));
  return json;
}

Json changes_json(const std::vector<std::string>& words, const std::vector<Change>& changes) {
  Json json{{"words", words}, {"changes", Json::array()}};
  for (const Change& c : changes)
    json["changes"].push_back({{"arm", c.arm},
                               {"start", c.start},
                               {"metric", c.metric},
                               {"length", c.length},
                               {"difference", to_json(c.difference)},
                               {"verdict", enum_name(c.verdict)}});
  return json;
}

Json curves_json(const std::vector<ArmCurve>& curves) {
  Json json = Json::array();
  for (const ArmCurve& curve : curves) {
    Json values = Json::array();
    for (const Interval& value : curve.values) values.push_back(to_json(value));
    json.push_back({{"arm", curve.arm}, {"metric", curve.metric}, {"lengths", curve.lengths}, {"values", values}});
  }
  return json;
}

Json granularity_json(const Study& study, const GranularityFindings& f) {
  Json json{{"pairs", std::ssize(f.pairs)},
            {"pair_numbers", f.pairs},
            {"planned_pairs", f.planned_pairs},
            {"missing", f.missing},
            {"unmatched", f.unmatched},
            {"other_starts", f.other_starts},
            {"precondition", precondition_json(study, f)},
            {"against_start", changes_json(start_sentences(study, f), f.changes)},
            {"conclusions", conclusions_of(study, f)},
            {"comparisons", Json::array()},
            {"curves", curves_json(f.curves)}};
  for (const Comparison& c : f.comparisons) json["comparisons"].push_back(to_json(c));
  json["against_start"]["is_worse"] = is_worse_than_start(study, f);
  if (study.settings(f.granularity).twice > 0) {
    json["after_twice"] = changes_json(twice_sentences(study, f), f.twice_changes);
    json["after_twice"]["values"] = curves_json(f.twice_curves);
  }
  return json;
}

// All of an arm's file except scores and images.
Json arm_facts(const ArmResult& result) {
  Json facts = result.json;
  for (const char* key : {"scores", "sinks", "strip"}) facts.erase(key);
  return facts;
}

std::string markdown_list(const std::string& title, const std::vector<std::string>& sentences) {
  if (sentences.empty()) return "";
  return fmt::format("\n{}:\n\n- {}\n", title, fmt::join(sentences, "\n- "));
}

std::string markdown(const Study& study, const std::vector<GranularityFindings>& all,
                     const std::vector<ArmResult>& results) {
  std::string text =
      fmt::format("Recipe `{}`, sha256 `{}`.\n\n", study.file.path.filename().string(), study.file.sha256);
  for (const GranularityFindings& f : all) {
    text += fmt::format("## {}\n\n", words_of(f.granularity));
    for (const std::string& sentence : conclusions_of(study, f)) text += fmt::format("- {}\n", sentence);
    text += markdown_list("Precondition", judge_precondition(study, f).sentences);
    text += markdown_list("Change since the initial student", start_sentences(study, f));
    text += markdown_list("After twice the steps", twice_sentences(study, f));
    text += '\n';
    for (const StudyTable& table : tables_of(study, f, results)) text += markdown_of(table);
  }
  return text;
}

}  // namespace

StudyReport report_study(const Study& study, const std::vector<StudyArm>& planned,
                         const std::vector<ArmResult>& results, const std::string& build) {
  SGF_CHECK(!results.empty(), "{}: no arm has been evaluated yet, so there is nothing to report",
            study.folder.string());
  std::vector<GranularityFindings> all;
  for (const Granularity granularity : {Granularity::kChunkwise, Granularity::kFramewise})
    if (study.settings(granularity).seeds > 0) all.push_back(find_out(study, granularity, planned, results));
  StudyReport report{.json = {{"study", study.recipe().name},
                              {"recipe_sha256", study.file.sha256},
                              {"recipe", write_yaml(study.recipe())},
                              {"build", build},
                              {"selection", study.is_selection}}};
  for (const GranularityFindings& f : all) {
    report.json[std::string(enum_name(f.granularity))] = granularity_json(study, f);
    if (std::string figure = study_figure(study, f); !figure.empty())
      report.figures[fmt::format("study-{}.svg", enum_name(f.granularity))] = std::move(figure);
    for (const std::vector<std::string>& words : {conclusions_of(study, f), judge_precondition(study, f).sentences,
                                                  start_sentences(study, f), twice_sentences(study, f)})
      report.conclusions.insert(report.conclusions.end(), words.begin(), words.end());
  }
  for (const ArmResult& result : results) report.json["arms"][result.arm.id()] = arm_facts(result);
  report.page = study_page(study, all, results, build);
  report.markdown = markdown(study, all, results);
  return report;
}

void write_report(const Study& study, const StudyReport& report) {
  const auto write = [&](const std::string& name, const std::string& text) {
    AtomicFile file(study.folder / name);
    file.write(text);
    file.commit();
  };
  write("study.json", report.json.dump(1) + '\n');
  write("study.md", report.markdown);
  for (const auto& [name, svg] : report.figures) write(name, svg);
  save_page(study.folder / "study.html", report.page);
}

}  // namespace sgf
