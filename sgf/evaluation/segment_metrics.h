// What a study measures of a video's segment: names, directions, and tables of them by prompt. Torch-free.
#pragma once

#include "sgf/core/enum_names.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

enum class Better { kMore, kLess, kNeither };

// What 1 is to a metric, so that a tenth of something can be meant.
enum class Whole {
  kNone,    // nothing: degrees, distances, logarithms, ratios to the truth
  kFrames,  // all frames: the metric is a share of them
  kSame,    // another thing, and 0 the same: 1 - error is likeness. Of a correlation that may fall below 0.
};

constexpr auto enum_names(Whole) {
  return std::array{EnumName{Whole::kNone, "none"}, EnumName{Whole::kFrames, "share"},
                    EnumName{Whole::kSame, "likeness"}};
}

struct StudyMetric {
  std::string_view name;
  std::string_view words;
  Better better = Better::kLess;
  bool is_uncaptioned = false;  // of factors that no caption names: what a video has to remember
  Whole whole = Whole::kNone;
};

std::span<const StudyMetric> study_metrics();
// Refuses a name that is none, and says which there are.
const StudyMetric& study_metric(std::string_view name);
// A value as a share, of which more is better; nothing where the metric has no whole.
std::optional<double> part_of_whole(const StudyMetric& metric, double value);

// A value a prompt, in the order of the prompts; empty where a video gave none.
using PromptValues = std::vector<std::optional<double>>;

// Of the values that there are; not a number where there is none.
double mean_of_values(const PromptValues& values);

// By metric, then by segment.
using ScoreTable = std::map<std::string, std::vector<PromptValues>, std::less<>>;

// Six digits; nothing is null.
nlohmann::json to_json(const ScoreTable& table);
// Refuses a table of another shape.
ScoreTable score_table(const nlohmann::json& json, size_t segments, size_t prompts, const std::string& source);

}  // namespace sgf
