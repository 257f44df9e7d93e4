// The totals of VBench's leaderboard: dimensions are normalised, weighted and summed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

struct VbenchDimension {
  std::string_view name;  // "subject_consistency"
  double least = 0;       // scores are normalised to (score - least) / (most - least), without clamping
  double most = 1;
  double weight = 1;
  bool is_quality = true;  // else semantic
};

// All sixteen, quality first (VBench's scripts/constant.py).
const std::vector<VbenchDimension>& vbench_dimensions();
bool is_vbench_dimension(std::string_view name);

struct LeaderboardTotals {
  std::optional<double> quality;     // from seven dimensions
  std::optional<double> semantic;    // from nine dimensions
  std::optional<double> total;       // four parts quality, one part semantic
  std::vector<std::string> missing;  // dimensions without a score; totals that need them are empty
};

// Raw scores by name, imaging_quality in 0..1. VBench's own script counts a missing dimension as 0; here its total is
// left out. Throws Error for an unknown dimension.
LeaderboardTotals leaderboard_totals(const std::map<std::string, double>& scores);

}  // namespace sgf
