#include "sgf/evaluation/study/study_verdict.h"

#include <cmath>

namespace sgf {

Verdict verdict_of(const Interval& difference, Better better, double least) {
  if (better == Better::kNeither || std::abs(difference.mean) < least) return Verdict::kNoDifference;
  const bool is_more = difference.is_above(0), is_less = difference.is_below(0);
  if (!is_more && !is_less) return Verdict::kNoDifference;
  return is_more == (better == Better::kMore) ? Verdict::kBetter : Verdict::kWorse;
}

}  // namespace sgf
