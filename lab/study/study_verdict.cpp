#include "lab/study/study_verdict.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sgf {

Verdict verdict_of(const Interval& difference, Better better, double least) {
  if (better == Better::kNeither || std::abs(difference.mean) < least) return Verdict::kNoDifference;
  const bool is_more = difference.is_above(0), is_less = difference.is_below(0);
  if (!is_more && !is_less) return Verdict::kNoDifference;
  return is_more == (better == Better::kMore) ? Verdict::kBetter : Verdict::kWorse;
}

std::vector<bool> answered_together(const std::vector<double>& p, double level) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](size_t i) { return p[i]; });
  std::vector<bool> answered(p.size(), false);
  for (size_t i = 0; i < order.size(); ++i) {
    if (p[order[i]] > level / static_cast<double>(order.size() - i)) break;
    answered[order[i]] = true;
  }
  return answered;
}

}  // namespace sgf
