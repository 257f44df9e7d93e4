// The table of a shift, lookups in it, and the random times based on it.
#include "sgf/schedule/flow_schedule.h"

#include "sgf/core/error.h"
#include "sgf/core/noise.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace sgf {
namespace {

constexpr int64_t kScoreIndices = 1000;

void check_timestep(double timestep) {
  SGF_CHECK(timestep >= 0 && timestep <= kMaxTimestep, "timestep must be in [0, {}], got {}", kMaxTimestep, timestep);
}

double bell(double timestep) {
  const double offset = (timestep - kMaxTimestep / 2) / kMaxTimestep;
  return std::exp(-2.0 * offset * offset);
}

std::vector<double> bell_weights(const std::vector<double>& timesteps) {
  std::vector<double> weights;
  for (const double timestep : timesteps) weights.push_back(bell(timestep));
  const double lowest = *std::min_element(weights.begin(), weights.end());
  for (double& weight : weights) weight -= lowest;
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (sum == 0) return std::vector<double>(weights.size(), 1.0);  // with a single entry all weights are equal
  const double scale = static_cast<double>(weights.size()) / sum;
  for (double& weight : weights) weight *= scale;
  return weights;
}

}  // namespace

FlowSchedule::FlowSchedule(double shift, int64_t entries) : shift_(shift) {
  SGF_CHECK(shift > 0, "shift must be positive, got {}", shift);
  SGF_CHECK(entries > 0, "table entries must be at least 1, got {}", entries);
  for (int64_t i = 0; i < entries; ++i) {
    const double base = 1.0 - static_cast<double>(i) / static_cast<double>(entries);
    sigmas_.push_back(shift_sigma(base, shift));
    timesteps_.push_back(kMaxTimestep * sigmas_.back());
  }
  training_weights_ = bell_weights(timesteps_);
}

int64_t FlowSchedule::nearest_entry(double timestep) const {
  check_timestep(timestep);
  const auto below = std::lower_bound(timesteps_.begin(), timesteps_.end(), timestep, std::greater<>());
  if (below == timesteps_.begin()) return 0;
  const auto above = below - 1;
  const bool above_is_nearer = below == timesteps_.end() || *above - timestep <= timestep - *below;
  return (above_is_nearer ? above : below) - timesteps_.begin();
}

std::vector<double> FlowSchedule::warp(std::span<const double> steps) const {
  std::vector<double> warped;
  for (const double step : steps) {
    check_timestep(step);
    warped.push_back(kMaxTimestep * shift_sigma(step / kMaxTimestep, shift_));
  }
  return warped;
}

double score_timestep(int64_t index, double shift, TimestepRange range) {
  SGF_CHECK(index >= 0 && index < kScoreIndices, "score index must be in [0, {}), got {}", kScoreIndices, index);
  const double base = static_cast<double>(index) / static_cast<double>(kScoreIndices);
  return std::clamp(kMaxTimestep * shift_sigma(base, shift), range.low, range.high);
}

double draw_score_timestep(const NoiseKey& key, const ScoreTimes& times, TimestepRange range) {
  SGF_CHECK(times.least >= 0 && times.least <= range.high, "the least score time must be in [0, {}], got {}",
            range.high, times.least);
  // Rounding in the inverse must not lose the index of `least` itself.
  const double base = unshift_sigma(times.least / kMaxTimestep, times.shift) * static_cast<double>(kScoreIndices);
  const auto first = std::min(static_cast<int64_t>(std::ceil(base - 1e-9)), kScoreIndices - 1);
  return score_timestep(first + uniform_index(key, kScoreIndices - first), times.shift, range);
}

}  // namespace sgf
