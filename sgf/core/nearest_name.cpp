// Damerau-Levenshtein distance in its restricted form: no substring is edited twice, which fits typing errors.
#include "sgf/core/nearest_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace sgf {

int64_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<int64_t> two_above(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    std::swap(two_above, above);
    std::swap(above, row);
    row[0] = static_cast<int64_t>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int64_t substituted = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({substituted, above[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_above[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::optional<std::string> nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr size_t kLongestTypo = 200;  // a longer name is not a typo, and the cost is quadratic
  if (name.size() > kLongestTypo) return std::nullopt;
  std::optional<std::string> nearest;
  int64_t least = 0;
  for (const std::string& candidate : candidates) {
    const int64_t distance = edit_distance(name, candidate);
    const auto allowed = static_cast<int64_t>(std::max(name.size(), candidate.size()) / 3);
    if (distance > allowed || (nearest && distance >= least)) continue;
    nearest = candidate;
    least = distance;
  }
  return nearest;
}

std::string hint_of_names(std::string_view name, const std::vector<std::string>& known) {
  if (const std::optional<std::string> nearest = nearest_name(name, known))
    return fmt::format("; did you mean {}?", *nearest);
  return known.empty() ? "" : fmt::format("; expected one of {}", fmt::join(known, ", "));
}

}  // namespace sgf
