#include "sgf/schedule/sigma_rule.h"

#include "sgf/core/error.h"
#include "sgf/schedule/sigma_shift.h"

#include <algorithm>
#include <cmath>

namespace sgf {
namespace {

// FlowSchedule's entry, in the same order of operations.
double entry_sigma(const SigmaRule& rule, double index) {
  return shift_sigma(1.0 - index / static_cast<double>(rule.entries), rule.shift);
}

}  // namespace

// Without the table: a timestep has at most two neighbours in it, and their places follow from the shift.
double SigmaRule::at(double timestep) const {
  SGF_CHECK(timestep >= 0 && timestep <= kMaxTimestep, "a timestep lies in [0, {}], got {}", kMaxTimestep, timestep);
  if (lookup == SigmaLookup::kExact) return timestep / kMaxTimestep;
  const auto count = static_cast<double>(entries);
  const double place = (1.0 - unshift_sigma(timestep / kMaxTimestep, shift)) * count;
  const double first = std::clamp(std::floor(place), 0.0, count - 1);
  const double above = entry_sigma(*this, first);
  const double below = entry_sigma(*this, std::min(first + 1, count - 1));
  return kMaxTimestep * above - timestep <= timestep - kMaxTimestep * below ? above : below;
}

}  // namespace sgf
