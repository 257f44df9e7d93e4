// Checks that Pass 2 reproduces Pass 1. If it does not, the gradient belongs to another model than the streaming one:
// mask and cache, kernels or precision disagree.
#pragma once

#include "sgf/reconstruction/recovery_report.h"
#include "sgf/training/stage.h"

namespace sgf {

struct RecoveryWatch {
  double warn_over = 0.05;
  double stop_over = 0;  // 0: never

  // Twenty times the rounding error of about 1e-6 in float32; in bfloat16 closer to its 1e-2, since it has fewer
  // digits.
  static double usual_limit(at::ScalarType compute);

  void judge(const RecoveryReport& recovery, int64_t step, StepReport& report) const;
};

}  // namespace sgf
