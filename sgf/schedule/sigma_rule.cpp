#include "sgf/schedule/sigma_rule.h"

#include "sgf/core/error.h"
#include "sgf/schedule/sigma_shift.h"

#include <algorithm>
#include <cmath>

namespace sgf {
namespace {

// In float32, like the table in the public code, which counts from both ends towards the middle.
double entry_sigma(const SigmaRule& rule, double index) {
  const auto count = static_cast<double>(rule.entries);
  const float step = -1.0F / static_cast<float>(count), shift = static_cast<float>(rule.shift);
  const bool is_noisy_half = index < std::floor((count + 1) / 2);
  const float base =
      is_noisy_half ? 1.0F + step * static_cast<float>(index) : -(step * static_cast<float>(count - index));
  return shift * base / (1.0F + (shift - 1.0F) * base);
}

}  // namespace

// Without the table: a timestep has at most two neighbours in it, and their positions follow from the shift.
double SigmaRule::at(double timestep) const {
  SGF_CHECK(timestep >= 0 && timestep <= kMaxTimestep, "timestep must be in [0, {}], got {}", kMaxTimestep, timestep);
  if (lookup == SigmaLookup::kExact) return timestep / kMaxTimestep;
  const auto count = static_cast<double>(entries);
  const double place = (1.0 - unshift_sigma(timestep / kMaxTimestep, shift)) * count;
  const double first = std::clamp(std::floor(place), 0.0, count - 1);
  const double above = entry_sigma(*this, first);
  const double below = entry_sigma(*this, std::min(first + 1, count - 1));
  return kMaxTimestep * above - timestep <= timestep - kMaxTimestep * below ? above : below;
}

}  // namespace sgf
