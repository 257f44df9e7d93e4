// The totals of VBench's leaderboard: dimensions brought to one scale, weighed, and summed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

struct VbenchDimension {
  std::string_view name;  // "subject_consistency"
  double least = 0;       // scores are brought to (score - least) / (most - least), and not clamped
  double most = 1;
  double weight = 1;
  bool is_quality = true;  // else semantic
};

// All sixteen, quality first (VBench's scripts/constant.py).
const std::vector<VbenchDimension>& vbench_dimensions();

struct LeaderboardTotals {
  std::optional<double> quality;     // of seven dimensions
  std::optional<double> semantic;    // of nine
  std::optional<double> total;       // four parts quality, one part semantic
  std::vector<std::string> missing;  // dimensions without a score: the totals that need them are empty
};

// Raw scores by name, imaging_quality in 0..1. VBench's own script counts a missing dimension as 0; here its total is
// left out. A name that is no dimension is an Error.
LeaderboardTotals leaderboard_totals(const std::map<std::string, double>& scores);

}  // namespace sgf
