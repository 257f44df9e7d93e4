// The learning rate over a run: a pure function of the step.
#pragma once

#include "sgf/config/train_config.h"

#include <cstdint>

namespace sgf {

struct RateSchedule {
  int64_t warmup_steps = 0;
  RateDecay decay = RateDecay::kConstant;
  double final_share = 0.1;
  int64_t total_steps = 1;

  // The factor of the learning rate at a step, counted from 0: rises linearly, then stays constant or falls along a
  // cosine.
  double factor(int64_t step) const;
};

}  // namespace sgf
