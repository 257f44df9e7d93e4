#include "sgf/evaluation/segment_metrics.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace sgf {
namespace {

constexpr std::array kStudyMetrics{
    StudyMetric{"valid", "valid frames", Better::kMore, false, Whole::kFrames},
    StudyMetric{"identity_error", "identity error", Better::kLess, true, Whole::kSame},
    StudyMetric{"landmark_drift", "landmark drift", Better::kLess, true, Whole::kSame},
    StudyMetric{"background_drift", "background drift", Better::kLess, true},
    StudyMetric{"rerender_error", "re-render error", Better::kLess, true},
    StudyMetric{"hue_drift", "hue drift, degrees", Better::kLess, true},
    StudyMetric{"size_drift", "size drift", Better::kLess, true},
    StudyMetric{"pattern_error", "pattern error", Better::kLess, true, Whole::kSame},
    StudyMetric{"presence", "objects present", Better::kMore, false, Whole::kFrames},
    StudyMetric{"count_right", "right count", Better::kMore, false, Whole::kFrames},
    StudyMetric{"colour_error", "colour error, degrees", Better::kLess},
    StudyMetric{"background_error", "background error", Better::kLess},
    StudyMetric{"motion", "motion / captioned speed", Better::kNeither},
    StudyMetric{"motion_energy", "motion energy / truth", Better::kNeither},
    StudyMetric{"sharpness", "sharpness / truth", Better::kNeither},
};

nlohmann::json six_digits(const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return nullptr;
  return std::strtod(fmt::format("{:.6g}", *value).c_str(), nullptr);  // stod throws on numbers close to 0
}

PromptValues prompt_values(const nlohmann::json& row, size_t prompts, const std::string& source) {
  SGF_CHECK(row.is_array() && row.size() == prompts, "{}: a segment must have one value for each of {} prompts", source,
            prompts);
  PromptValues values;
  for (const nlohmann::json& value : row) {
    SGF_CHECK(value.is_null() || value.is_number(), "{}: a value must be a number or null", source);
    values.push_back(value.is_null() ? std::nullopt : std::optional(value.get<double>()));
  }
  return values;
}

}  // namespace

std::span<const StudyMetric> study_metrics() { return kStudyMetrics; }

const StudyMetric& study_metric(std::string_view name) {
  const auto found = std::ranges::find(kStudyMetrics, name, &StudyMetric::name);
  if (found != kStudyMetrics.end()) return *found;
  std::vector<std::string_view> names;
  for (const StudyMetric& metric : kStudyMetrics) names.push_back(metric.name);
  fail("unknown metric {}; use one of {}", in_quotes(name), fmt::join(names, ", "));
}

std::optional<double> part_of_whole(const StudyMetric& metric, double value) {
  if (metric.whole == Whole::kNone) return std::nullopt;
  return metric.whole == Whole::kSame ? 1 - value : value;
}

double mean_of_values(const PromptValues& values) {
  double sum = 0, count = 0;
  for (const std::optional<double>& value : values)
    if (value) sum += *value, count += 1;
  return count > 0 ? sum / count : std::nan("");
}

nlohmann::json to_json(const ScoreTable& table) {
  nlohmann::json all = nlohmann::json::object();
  for (const auto& [metric, segments] : table) {
    nlohmann::json& rows = all[metric] = nlohmann::json::array();
    for (const PromptValues& values : segments) {
      nlohmann::json& row = rows.emplace_back(nlohmann::json::array());
      for (const std::optional<double>& value : values) row.push_back(six_digits(value));
    }
  }
  return all;
}

ScoreTable score_table(const nlohmann::json& all, size_t segments, size_t prompts, const std::string& source) {
  SGF_CHECK(all.is_object(), "{}: must hold a table of scores", source);
  ScoreTable table;
  for (const StudyMetric& metric : study_metrics()) {
    const auto found = all.find(metric.name);
    SGF_CHECK(found != all.end() && found->is_array() && found->size() == segments,
              "{}: {} must have a value for each of {} segments", source, metric.name, segments);
    for (const nlohmann::json& row : *found)
      table[std::string(metric.name)].push_back(prompt_values(row, prompts, source));
  }
  return table;
}

}  // namespace sgf
