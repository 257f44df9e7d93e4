// Whether a few-step student is close to its teacher: the relative difference of a metric's two means. Torch-free.
#pragma once

#include "sgf/evaluation/segment_metrics.h"

#include <string>
#include <string_view>

namespace sgf {

constexpr double kCloseShare = 0.1;

// The rule as text, for reports.
constexpr std::string_view kClosenessRule =
    "A student is close if it is worse by at most 10 % of its teacher's value, or by the least difference. Shares of "
    "frames are compared directly. Errors with 0 for the same object and 1 for a different one are compared as "
    "likeness, 1 - error, since a good teacher's error is near 0 and a tenth of it means nothing. Other errors have no "
    "scale for relative differences: they are listed but do not decide. Of the metrics with a scale, the headline "
    "metrics decide.";

// The initial student and its teacher, over one training length.
struct Closeness {
  std::string metric;
  double student = 0, teacher = 0;  // as measured
  bool is_close = false;            // false if unknown, or if the metric has no whole

  // Student - teacher as shares or likeness, where more is better; empty if the metric has no whole.
  std::optional<double> difference() const;
  // The same relative to the teacher's value.
  std::optional<double> relative_difference() const;
  // (student - teacher) / teacher of the measured values, regardless of direction; not finite if the teacher has 0.
  double raw_relative_difference() const { return (student - teacher) / teacher; }
  // Whether the measured value is worse by more than a tenth and more than `least`.
  bool is_raw_worse(double least) const;
};

// Differences up to `least` are ignored.
Closeness closeness_of(const StudyMetric& metric, double student, double teacher, double least);

}  // namespace sgf
