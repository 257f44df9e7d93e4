#include "sgf/vbench/leaderboard.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"

#include <algorithm>

namespace sgf {
namespace {

constexpr double kQualityWeight = 4, kSemanticWeight = 1;

void check_names(const std::map<std::string, double>& scores) {
  for (const auto& [name, score] : scores)
    SGF_CHECK(is_vbench_dimension(name), "{} is not a dimension of VBench", in_quotes(name));
}

// The weighted mean of one half, if all its scores are present.
std::optional<double> half_total(const std::map<std::string, double>& scores, bool is_quality) {
  double sum = 0, weights = 0;
  for (const VbenchDimension& dimension : vbench_dimensions()) {
    if (dimension.is_quality != is_quality) continue;
    const auto found = scores.find(std::string(dimension.name));
    if (found == scores.end()) return std::nullopt;
    sum += (found->second - dimension.least) / (dimension.most - dimension.least) * dimension.weight;
    weights += dimension.weight;
  }
  return sum / weights;
}

}  // namespace

const std::vector<VbenchDimension>& vbench_dimensions() {
  static const std::vector<VbenchDimension> dimensions{
      {.name = "subject_consistency", .least = .1462},
      {.name = "background_consistency", .least = .2615},
      {.name = "temporal_flickering", .least = .6293},
      {.name = "motion_smoothness", .least = .706, .most = .9975},
      {.name = "dynamic_degree", .weight = .5},
      {.name = "aesthetic_quality"},
      {.name = "imaging_quality"},
      {.name = "object_class", .is_quality = false},
      {.name = "multiple_objects", .is_quality = false},
      {.name = "human_action", .is_quality = false},
      {.name = "color", .is_quality = false},
      {.name = "spatial_relationship", .is_quality = false},
      {.name = "scene", .most = .8222, .is_quality = false},
      {.name = "appearance_style", .least = .0009, .most = .2855, .is_quality = false},
      {.name = "temporal_style", .most = .364, .is_quality = false},
      {.name = "overall_consistency", .most = .364, .is_quality = false},
  };
  return dimensions;
}

bool is_vbench_dimension(std::string_view name) {
  return std::ranges::find(vbench_dimensions(), name, &VbenchDimension::name) != vbench_dimensions().end();
}

LeaderboardTotals leaderboard_totals(const std::map<std::string, double>& scores) {
  check_names(scores);
  LeaderboardTotals totals{
      .quality = half_total(scores, true), .semantic = half_total(scores, false), .total = {}, .missing = {}};
  if (totals.quality && totals.semantic)
    totals.total =
        (*totals.quality * kQualityWeight + *totals.semantic * kSemanticWeight) / (kQualityWeight + kSemanticWeight);
  for (const VbenchDimension& dimension : vbench_dimensions())
    if (!scores.contains(std::string(dimension.name))) totals.missing.emplace_back(dimension.name);
  return totals;
}

}  // namespace sgf
