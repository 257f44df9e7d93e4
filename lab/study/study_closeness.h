// Whether a few-step student comes near its teacher: how far a metric's two means lie apart, as shares of a whole.
// Torch-free.
#pragma once

#include "sgf/evaluation/segment_metrics.h"

#include <string>
#include <string_view>

namespace sgf {

constexpr double kCloseShare = 0.1;

// The rule in words, for those who read what came of it.
constexpr std::string_view kClosenessRule =
    "A student is close where it is no more than 10 % of its teacher's value worse, or the least difference. Shares of "
    "frames are taken as they are; errors of which 0 is the same and 1 is another are taken as likeness, 1 - error: a "
    "good teacher's error is near 0, and a tenth of that is nothing. Other errors have no whole to take a tenth of: "
    "they are listed and do not decide. Of those that can, the headline metrics decide.";

// The initial student beside its teacher, over one training length.
struct Closeness {
  std::string metric;
  double student = 0, teacher = 0;  // as measured
  bool is_close = false;            // false where not known, and where the metric has no whole

  // Student - teacher as shares or likeness, where more is better; nothing where the metric has no whole.
  std::optional<double> difference() const;
  // The same as a part of the teacher's.
  std::optional<double> relative_difference() const;
  // (student - teacher) / teacher of what was measured, whatever is better; not finite where the teacher has 0.
  double raw_relative_difference() const { return (student - teacher) / teacher; }
  // Whether what was measured is more than a tenth, and `least`, worse.
  bool is_raw_worse(double least) const;
};

// Differences up to `least` count as none.
Closeness closeness_of(const StudyMetric& metric, double student, double teacher, double least);

}  // namespace sgf
