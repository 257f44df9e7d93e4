// The table of noise levels: the shift that spends more steps at high sigma, and the times drawn with it.
#pragma once

#include "sgf/schedule/sigma_rule.h"
#include "sgf/schedule/sigma_shift.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sgf {

struct NoiseKey;

// The range of score times; times at its ends carry no training signal.
struct TimestepRange {
  double low = 20.0;
  double high = 980.0;
};

// A shift and its table: entry i has base 1 - i/N, sigma = shift_sigma(base), t = 1000 sigma. Highest sigma first; 0 is
// not in the table.
class FlowSchedule {
 public:
  explicit FlowSchedule(double shift = 5.0, int64_t entries = 1000);

  double shift() const { return shift_; }
  const std::vector<double>& sigmas() const { return sigmas_; }
  const std::vector<double>& timesteps() const { return timesteps_; }

  // The entry nearest to a timestep; of two equally near ones, the noisier.
  int64_t nearest_entry(double timestep) const;

  // Loss weight per entry, a bell over t: exp(-2 ((t - 500) / 1000)^2) minus its minimum, scaled to mean 1.
  const std::vector<double>& training_weights() const { return training_weights_; }
  double training_weight(double timestep) const { return training_weights_[nearest_entry(timestep)]; }

  // A student's step list after the shift: 1000, 750, 500, 250 become 1000, 937.5, 833.3, 625 under shift 5.
  std::vector<double> warp(std::span<const double> steps) const;

 private:
  double shift_;
  std::vector<double> sigmas_;
  std::vector<double> timesteps_;
  std::vector<double> training_weights_;
};

// Score time for index u*1000 of U{0..999}: 1000 * shift_sigma(u), clamped.
double score_timestep(int64_t index, double shift = 5.0, TimestepRange range = {});

// The times at which scores are compared and the critic is trained.
struct ScoreTimes {
  double shift = 5.0;
  double least = 0;  // no time is below it
};

// A score time drawn from a key, among those not below `least`.
double draw_score_timestep(const NoiseKey& key, const ScoreTimes& times = {}, TimestepRange range = {});

}  // namespace sgf
