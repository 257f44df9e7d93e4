// From flow scores to a yes or no: does a video move, does it stand still. Free of torch.
#pragma once

#include <cstdint>
#include <span>

namespace sgf {

// To the nearest integer, halves to the even one, as Python rounds.
int64_t round_half_even(double value);

// A pair of frames moves where its score is above `threshold`, in pixels; `count` pairs decide.
struct MotionRule {
  double threshold = 0;
  int64_t count = 0;
};

// Dynamic degree looks at about eight frames a second: every how many-th one.
int64_t dynamic_degree_stride(double fps);

// `frames` are those that were looked at, `height` and `width` those of the picture before padding.
MotionRule dynamic_degree_rule(int64_t frames, int64_t height, int64_t width);
MotionRule static_filter_rule(int64_t frames, int64_t height, int64_t width);

// Scores of consecutive pairs, top 5 %: at least `count` of them move. With a count of 0 one pair is enough, however
// still; no pair is never dynamic.
bool is_dynamic(std::span<const double> scores, const MotionRule& rule);

// Scores of consecutive pairs, top 2 %, and of the pairs (first, last) and (last, first): no more than `count` of the
// former move, and neither of the latter by more than 2 count thresholds.
bool is_static(std::span<const double> scores, double first_to_last, double last_to_first, const MotionRule& rule);

}  // namespace sgf
