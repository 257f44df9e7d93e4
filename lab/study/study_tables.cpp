#include "lab/study/study_tables.h"

#include "lab/study/study_words.h"
#include "sgf/core/error.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace sgf {
namespace {

using Cells = std::vector<std::string>;

std::string number_words(double value) { return std::isfinite(value) ? fmt::format("{:.3f}", value) : "-"; }

// A number from a file that may be foreign.
double number_at(const nlohmann::json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return json.is_object() && found != json.end() && found->is_number() ? found->get<double>() : std::nan("");
}

std::string closeness_words(const Closeness& row) {
  if (!std::isfinite(row.student) || !std::isfinite(row.teacher) || !row.difference()) return "-";
  return row.is_close ? "yes" : "no";
}

// "-0.029 (-3.0 %)"
std::string scaled_words(const Closeness& row) {
  if (!row.difference() || !std::isfinite(*row.difference())) return "-";
  return fmt::format("{:+.3f} ({})", *row.difference(), percent_words(*row.relative_difference()));
}

StudyTable closeness_table(const Study& study, const GranularityFindings& f) {
  StudyTable table{.title = "Precondition: the initial student and its teacher, at 1x",
                   .head = {"metric", "teacher", "initial student", "measured difference", "compared as",
                            "difference on that scale", "no more than 10 % worse", "decides"},
                   .note = std::string(kClosenessRule)};
  for (const Closeness& row : f.closeness) {
    const StudyMetric& metric = study_metric(row.metric);
    table.rows.push_back({std::string(metric.words), number_words(row.teacher), number_words(row.student),
                          percent_words(row.raw_relative_difference()), words_of(metric.whole), scaled_words(row),
                          closeness_words(row), does_decide(study, row) ? "yes" : "no"});
  }
  return table;
}

StudyTable growth_table(const Study& study, const GranularityFindings& f) {
  StudyTable table{.title = "Precondition: how the initial student forgets factors that captions do not name",
                   .head = {"metric"}};
  const std::vector<int64_t>& horizons = study.evaluation().horizons;
  for (const int64_t horizon : horizons) table.head.push_back(fmt::format("{}x (truth)", horizon));
  for (size_t i = 1; i < horizons.size(); ++i)
    table.head.push_back(fmt::format("growth {}x to {}x", horizons[i - 1], horizons[i]));
  table.head.push_back("grows");
  for (const Growth& row : f.growth) {
    Cells cells{std::string(study_metric(row.metric).words)};
    for (size_t i = 0; i < row.student.size(); ++i)
      cells.push_back(fmt::format("{} ({})", number_words(row.student[i]), number_words(row.truth[i])));
    for (const Interval& step : row.steps) cells.push_back(words_of(step));
    cells.push_back(row.does_grow ? "yes" : "no");
    table.rows.push_back(std::move(cells));
  }
  table.note =
      "Growth is measured relative to true clips of the same prompts. The first window, which is the reference, is "
      "part of the segment at 1x; the values of the truth show the effect of that.";
  return table;
}

const Interval* value_at(const std::vector<ArmCurve>& curves, const std::string& arm, std::string_view metric,
                         int64_t length) {
  for (const ArmCurve& curve : curves) {
    if (curve.arm != arm || curve.metric != metric) continue;
    for (size_t i = 0; i < curve.lengths.size(); ++i)
      if (curve.lengths[i] == length) return &curve.values[i];
  }
  return nullptr;
}

const Change* change_at(const std::vector<Change>& changes, const std::string& arm, const std::string& start,
                        std::string_view metric, int64_t length) {
  for (const Change& change : changes)
    if (change.arm == arm && change.start == start && change.metric == metric && change.length == length)
      return &change;
  return nullptr;
}

StudyTable arms_table(const Study& study, const GranularityFindings& f, int64_t horizon) {
  StudyTable table{.title = fmt::format("At {}x the training length", horizon),
                   .head = {"metric", "truth", "initial student", "SF", "SGF"}};
  for (const StudyMetric& metric : study_metrics()) {
    Cells cells{std::string(metric.words)};
    bool has_value = false;
    for (const char* arm : {"truth", "initial", "SF", "SGF"}) {
      const Interval* value = value_at(f.curves, arm, metric.name, horizon);
      has_value = has_value || value != nullptr;
      cells.push_back(value == nullptr ? "-" : words_of(*value));
    }
    if (has_value) table.rows.push_back(std::move(cells));
  }
  table.note = fmt::format("Means with {:g} % intervals over prompts, and over pairs too in the last two columns.",
                           100 * study.recipe().analysis.confidence);
  return table;
}

std::string better_words(Better better) {
  return better == Better::kMore ? "more" : better == Better::kLess ? "less" : "neither";
}

// "-0.050 [-0.061, -0.040]: better"
std::string verdict_cell(const Interval& difference, Better better, Verdict verdict) {
  if (better == Better::kNeither || difference.count == 0) return words_of(difference);
  return fmt::format("{}: {}", words_of(difference), enum_name(verdict));
}

StudyTable changes_table(const GranularityFindings& f, int64_t horizon) {
  StudyTable table{
      .title =
          fmt::format("Change since the initial student, at {}x: arm minus initial student, paired by prompt", horizon),
      .head = {"metric", "better", "SF - initial", "SGF - initial"},
      .note =
          "Means over the existing runs, with intervals over prompts and runs. A run counts even if the other run of "
          "its pair is missing."};
  for (const StudyMetric& metric : study_metrics()) {
    Cells cells{std::string(metric.words), better_words(metric.better)};
    bool has_value = false;
    for (const char* arm : {"SF", "SGF"}) {
      const Change* change = change_at(f.changes, arm, "initial", metric.name, horizon);
      has_value = has_value || change != nullptr;
      cells.push_back(change == nullptr ? "-" : verdict_cell(change->difference, metric.better, change->verdict));
    }
    if (has_value) table.rows.push_back(std::move(cells));
  }
  return table;
}

StudyTable twice_table(const Study& study, const GranularityFindings& f, int64_t horizon) {
  StudyTable table{.title = fmt::format("After twice the steps, at {}x", horizon),
                   .head = {"metric", "initial student"}};
  const Cells arms{"initial", "SF", "SF twice", "SGF", "SGF twice"};
  table.head.insert(table.head.end(), arms.begin() + 1, arms.end());
  for (const StudyMetric& metric : study_metrics()) {
    Cells cells{std::string(metric.words)};
    for (const std::string& arm : arms) {
      const Interval* value = value_at(f.twice_curves, arm, metric.name, horizon);
      cells.push_back(value == nullptr ? "-" : words_of(*value));
    }
    if (!f.twice_curves.empty()) table.rows.push_back(std::move(cells));
  }
  const StudyGranularity& settings = study.settings(f.granularity);
  table.note = fmt::format(
      "Over the existing pairs among the first {} of {}, in all columns. They were trained again from the same start "
      "with the same seed for {} steps instead of {}.",
      settings.twice, settings.seeds, 2 * settings.steps, settings.steps);
  return table;
}

StudyTable twice_changes_table(const GranularityFindings& f, int64_t horizon) {
  const std::vector<std::pair<std::string, std::string>> differences{{"SF twice", "initial"},
                                                                     {"SGF twice", "initial"},
                                                                     {"SF twice", "SF"},
                                                                     {"SGF twice", "SGF"},
                                                                     {"SGF twice", "SF twice"}};
  StudyTable table{.title = fmt::format("Change by twice the steps, at {}x, paired by prompt", horizon),
                   .head = {"metric", "better"}};
  for (const auto& [arm, start] : differences) table.head.push_back(fmt::format("{} - {}", arm, start));
  for (const StudyMetric& metric : study_metrics()) {
    Cells cells{std::string(metric.words), better_words(metric.better)};
    for (const auto& [arm, start] : differences) {
      const Change* change = change_at(f.twice_changes, arm, start, metric.name, horizon);
      cells.push_back(change == nullptr ? "-" : verdict_cell(change->difference, metric.better, change->verdict));
    }
    if (!f.twice_changes.empty() && metric.better != Better::kNeither) table.rows.push_back(std::move(cells));
  }
  return table;
}

StudyTable difference_table(const Study& study, const GranularityFindings& f) {
  StudyTable table{.title = "SGF - SF, paired by prompt within each pair", .head = {"metric", "better"}};
  for (const int64_t horizon : study.evaluation().horizons) table.head.push_back(fmt::format("{}x", horizon));
  for (const StudyMetric& metric : study_metrics()) {
    Cells cells{std::string(metric.words), better_words(metric.better)};
    for (const int64_t horizon : study.evaluation().horizons)
      for (const Comparison& c : f.comparisons)
        if (c.metric == metric.name && c.length == horizon)
          cells.push_back(verdict_cell(c.difference, metric.better, c.verdict));
    if (cells.size() > 2) table.rows.push_back(std::move(cells));
  }
  table.note = "Each interval is for one comparison; the headline differences that hold jointly are stated above.";
  return table;
}

StudyTable pairs_table(const Study& study, const GranularityFindings& f) {
  StudyTable table{.title = "SGF - SF in each pair: the spread over seeds", .head = {"metric", "at"}};
  for (const int64_t pair : f.pairs) table.head.push_back(fmt::format("pair {}", pair));
  table.head.insert(table.head.end(), {"mean", "standard deviation"});
  for (const Comparison& c : f.comparisons) {
    if (!study.is_headline(c.metric) || !study.is_horizon(c.length)) continue;
    Cells cells{std::string(study_metric(c.metric).words), fmt::format("{}x", c.length)};
    double sum = 0, squares = 0;
    for (const double d : c.pairs) cells.push_back(fmt::format("{:+.3f}", d)), sum += d;
    const auto count = static_cast<double>(c.pairs.size());
    for (const double d : c.pairs) squares += (d - sum / count) * (d - sum / count);
    cells.push_back(fmt::format("{:+.3f}", sum / count));
    cells.push_back(count > 1 ? fmt::format("{:.3f}", std::sqrt(squares / (count - 1))) : "-");
    table.rows.push_back(std::move(cells));
  }
  return table;
}

StudyTable sinks_table(const Study& study, const GranularityFindings& f) {
  StudyTable table{
      .title = fmt::format("Sink sizes within a window of constant size, at {}x", study.evaluation().sink_horizon),
      .head = {"arm", "sink frames"}};
  for (const std::string& metric : study.recipe().analysis.headline)
    table.head.emplace_back(study_metric(metric).words);
  for (const SinkFinding& row : f.sinks) {
    Cells cells{row.arm, fmt::format("{}", row.sink)};
    for (const Interval& value : row.headline) cells.push_back(words_of(value));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

StudyTable recovery_table(const std::vector<const ArmResult*>& arms) {
  StudyTable table{.title = "Recovery: Pass 2 against Pass 1, by exit step",
                   .head = {"arm", "exit", "timestep", "relative L2", "cosine", "max abs"}};
  for (const ArmResult* arm : arms)
    for (const nlohmann::json& row : arm->json.value("recovery", nlohmann::json::array()))
      table.rows.push_back(
          {arm->arm.id(), fmt::format("{:.0f}", number_at(row, "exit")),
           fmt::format("{:.1f}", number_at(row, "timestep")), fmt::format("{:.3g}", number_at(row, "relative_l2")),
           fmt::format("{:.6f}", number_at(row, "cosine")), fmt::format("{:.3g}", number_at(row, "max_abs"))});
  return table;
}

StudyTable probe_table(const std::vector<const ArmResult*>& arms) {
  StudyTable table{.title = "Context gradient (open - frozen) by layer, at the end of training",
                   .head = {"arm", "layer", "norm of frozen", "context / frozen", "cosine"}};
  for (const ArmResult* arm : arms) {
    if (const auto why = arm->json.find("probe_left_out"); why != arm->json.end() && why->is_string())
      table.rows.push_back({arm->arm.id(), "not measured: " + why->get<std::string>(), "-", "-", "-"});
    for (const nlohmann::json& row : arm->json.value("probe", nlohmann::json::array()))
      table.rows.push_back({arm->arm.id(), row.value("layer", ""), fmt::format("{:.3g}", number_at(row, "frozen_norm")),
                            number_words(number_at(row, "ratio")), number_words(number_at(row, "cosine"))});
  }
  return table;
}

StudyTable cost_table(const std::vector<const ArmResult*>& arms) {
  StudyTable table{.title = "Cost of the arms",
                   .head = {"arm", "device", "steps", "generator updates", "training, s", "evaluation, s"}};
  for (const ArmResult* arm : arms) {
    const nlohmann::json training = arm->json.value("training", nlohmann::json::object());
    const auto count = [&](const char* key) {
      return training.contains(key) ? fmt::format("{:.0f}", number_at(training, key)) : "-";
    };
    table.rows.push_back({arm->arm.id(), arm->json.value("device", ""), count("steps"), count("generator_updates"),
                          count("seconds"), fmt::format("{:.0f}", number_at(arm->json, "seconds"))});
  }
  return table;
}

std::string markdown_row(const Cells& cells) { return fmt::format("| {} |\n", fmt::join(cells, " | ")); }

}  // namespace

std::vector<StudyTable> tables_of(const Study& study, const GranularityFindings& findings,
                                  const std::vector<ArmResult>& results) {
  std::vector<const ArmResult*> arms;
  for (const ArmResult& result : results)
    if (result.arm.granularity == findings.granularity) arms.push_back(&result);
  std::vector<StudyTable> tables{closeness_table(study, findings), growth_table(study, findings)};
  for (const int64_t horizon : study.evaluation().horizons) tables.push_back(arms_table(study, findings, horizon));
  for (const int64_t horizon : study.evaluation().horizons) tables.push_back(changes_table(findings, horizon));
  for (StudyTable& table : std::vector{difference_table(study, findings), pairs_table(study, findings)})
    tables.push_back(std::move(table));
  for (const int64_t horizon : study.evaluation().horizons) {
    tables.push_back(twice_table(study, findings, horizon));
    tables.push_back(twice_changes_table(findings, horizon));
  }
  for (StudyTable& table :
       std::vector{sinks_table(study, findings), recovery_table(arms), probe_table(arms), cost_table(arms)})
    tables.push_back(std::move(table));
  std::erase_if(tables, [](const StudyTable& table) { return table.rows.empty(); });
  return tables;
}

std::string markdown_of(const StudyTable& table) {
  std::string text =
      fmt::format("### {}\n\n", table.title) + markdown_row(table.head) + markdown_row(Cells(table.head.size(), "---"));
  for (const Cells& row : table.rows) text += markdown_row(row);
  if (!table.note.empty()) text += fmt::format("\n{}\n", table.note);
  return text + '\n';
}

}  // namespace sgf
