#include "sgf/vbench/motion_decisions.h"

#include <algorithm>
#include <cmath>

namespace sgf {
namespace {

// Thresholds are defined for frames whose shorter side has 256 pixels, counts for 16 frames.
MotionRule scaled_rule(double threshold, double count, int64_t frames, int64_t height, int64_t width) {
  return {.threshold = threshold * (static_cast<double>(std::min(height, width)) / 256.0),
          .count = round_half_even(count * (static_cast<double>(frames) / 16.0))};
}

int64_t moving_pairs(std::span<const double> scores, double threshold) {
  return std::ranges::count_if(scores, [&](double score) { return score > threshold; });
}

}  // namespace

int64_t round_half_even(double value) {
  const double below = std::floor(value);
  const double rest = value - below;
  const bool goes_up = rest > 0.5 || (rest == 0.5 && std::fmod(below, 2.0) != 0);
  return static_cast<int64_t>(below) + (goes_up ? 1 : 0);
}

int64_t dynamic_degree_stride(double fps) { return std::max<int64_t>(1, round_half_even(fps / 8)); }

MotionRule dynamic_degree_rule(int64_t frames, int64_t height, int64_t width) {
  return scaled_rule(6, 4, frames, height, width);
}

MotionRule static_filter_rule(int64_t frames, int64_t height, int64_t width) {
  return scaled_rule(3, 2, frames, height, width);
}

bool is_dynamic(std::span<const double> scores, const MotionRule& rule) {
  return !scores.empty() && moving_pairs(scores, rule.threshold) >= rule.count;
}

bool is_static(std::span<const double> scores, double first_to_last, double last_to_first, const MotionRule& rule) {
  const double farthest = rule.threshold * static_cast<double>(rule.count) * 2;
  return moving_pairs(scores, rule.threshold) <= rule.count && !(first_to_last > farthest) &&
         !(last_to_first > farthest);
}

}  // namespace sgf
