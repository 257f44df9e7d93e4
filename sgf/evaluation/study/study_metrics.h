// What a study measures of a video's segment: names, directions, and tables of them by prompt. Torch-free.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

enum class Better { kMore, kLess, kNeither };

struct StudyMetric {
  std::string_view name;
  std::string_view words;
  Better better = Better::kLess;
  bool is_uncaptioned = false;  // of factors that no caption names: what a video has to remember
};

std::span<const StudyMetric> study_metrics();
// Refuses a name that is none, and says which there are.
const StudyMetric& study_metric(std::string_view name);

// A value a prompt, in the order of the prompts; empty where a video gave none.
using PromptValues = std::vector<std::optional<double>>;

// By metric, then by segment.
using ScoreTable = std::map<std::string, std::vector<PromptValues>, std::less<>>;

// Six digits; nothing is null.
nlohmann::json to_json(const ScoreTable& table);
// Refuses a table of another shape.
ScoreTable score_table(const nlohmann::json& json, size_t segments, size_t prompts, const std::string& source);

}  // namespace sgf
