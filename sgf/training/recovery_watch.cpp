#include "sgf/training/recovery_watch.h"

#include <fmt/format.h>

#include <cmath>

namespace sgf {

double RecoveryWatch::usual_limit(at::ScalarType compute) {
  const bool is_narrow = compute == at::kBFloat16 || compute == at::kHalf;
  return is_narrow ? 0.05 : 1e-3;
}

void RecoveryWatch::judge(const RecoveryReport& recovery, int64_t step, StepReport& report) const {
  report.metrics["recovery_relative_l2"] = recovery.relative_l2;
  report.metrics["recovery_cosine"] = recovery.cosine;
  report.metrics["recovery_max_abs"] = recovery.max_abs;
  const bool is_sound = recovery.relative_l2 <= warn_over;  // also false for NaN
  if (is_sound) return;
  const std::string words = fmt::format(
      "step {}: THE TWO PASSES DO NOT MATCH: Pass 2 is {:.3g} from Pass 1 (relative L2), at most {:.3g} was expected",
      step, recovery.relative_l2, warn_over);
  report.warnings.push_back(words);
  if (stop_over > 0 && !(recovery.relative_l2 <= stop_over)) report.stop = words;
}

}  // namespace sgf
