#include "sgf/training/rate_schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sgf {

double RateSchedule::factor(int64_t step) const {
  if (step < warmup_steps) return static_cast<double>(step + 1) / static_cast<double>(warmup_steps);
  if (decay == RateDecay::kConstant) return 1;
  const auto after = static_cast<double>(step - warmup_steps);
  const auto whole = static_cast<double>(std::max<int64_t>(total_steps - warmup_steps, 1));
  const double share = std::min(after / whole, 1.0);
  return final_share + (1 - final_share) * 0.5 * (1 + std::cos(std::numbers::pi * share));
}

}  // namespace sgf
