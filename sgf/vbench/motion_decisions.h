// Decides from flow scores whether a video moves or stands still. Torch-free.
#pragma once

#include <cstdint>
#include <span>

namespace sgf {

// Rounds to the nearest integer, halves to even, as Python does.
int64_t round_half_even(double value);

// A pair of frames moves if its score is above `threshold`, in pixels; the decision needs `count` pairs.
struct MotionRule {
  double threshold = 0;
  int64_t count = 0;
};

// Dynamic degree samples about eight frames per second: the sampling stride.
int64_t dynamic_degree_stride(double fps);

// `frames` is the number of sampled frames; `height` and `width` are the frame size before padding.
MotionRule dynamic_degree_rule(int64_t frames, int64_t height, int64_t width);
MotionRule static_filter_rule(int64_t frames, int64_t height, int64_t width);

// Scores of consecutive pairs, top 5 %: true if at least `count` of them move. With a count of 0 any pair is enough,
// even a still one; without pairs the result is false.
bool is_dynamic(std::span<const double> scores, const MotionRule& rule);

// Scores of consecutive pairs, top 2 %, and of the pairs (first, last) and (last, first): true if at most `count` of
// the former move, and neither of the latter by more than 2 count thresholds.
bool is_static(std::span<const double> scores, double first_to_last, double last_to_first, const MotionRule& rule);

}  // namespace sgf
