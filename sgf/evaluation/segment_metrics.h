// The metrics of a video's segment in studies: names, directions, and tables by prompt. Torch-free.
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

// The meaning of 1 for a metric, so that relative differences are defined.
enum class Whole {
  kNone,    // none: degrees, distances, logarithms, ratios to the truth
  kFrames,  // all frames: the metric is a share of frames
  kSame,    // a different object, 0 the same one: likeness is 1 - error, which may be negative for a correlation
};

constexpr auto enum_names(Whole) {
  return std::array{EnumName{Whole::kNone, "none"}, EnumName{Whole::kFrames, "share"},
                    EnumName{Whole::kSame, "likeness"}};
}

struct StudyMetric {
  std::string_view name;
  std::string_view words;
  Better better = Better::kLess;
  bool is_uncaptioned = false;  // about factors that captions do not name, which a video has to remember
  Whole whole = Whole::kNone;
};

std::span<const StudyMetric> study_metrics();
// Throws on an unknown name and lists the known ones.
const StudyMetric& study_metric(std::string_view name);
// A value as a share where more is better; empty if the metric has no whole.
std::optional<double> part_of_whole(const StudyMetric& metric, double value);

// One value per prompt, in the order of the prompts; empty if a video gave none.
using PromptValues = std::vector<std::optional<double>>;

// The mean of existing values; NaN if there are none.
double mean_of_values(const PromptValues& values);

// By metric, then by segment.
using ScoreTable = std::map<std::string, std::vector<PromptValues>, std::less<>>;

// Six digits; missing values are null.
nlohmann::json to_json(const ScoreTable& table);
// Throws if the table has another shape.
ScoreTable score_table(const nlohmann::json& json, size_t segments, size_t prompts, const std::string& source);

}  // namespace sgf
