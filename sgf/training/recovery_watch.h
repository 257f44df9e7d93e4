// Whether Pass 2 still repeats Pass 1. Where it does not, the gradient is that of another model than the one that
// streams: mask and cache, kernels or precision have come apart.
#pragma once

#include "sgf/reconstruction/recovery_report.h"
#include "sgf/training/stage.h"

namespace sgf {

struct RecoveryWatch {
  double warn_over = 0.05;
  double stop_over = 0;  // 0: never

  // Twenty times what rounding explains: about 1e-6 in float32, 1e-2 in bfloat16 (fewer digits, so less room).
  static double usual_limit(at::ScalarType compute);

  void judge(const RecoveryReport& recovery, int64_t step, StepReport& report) const;
};

}  // namespace sgf
