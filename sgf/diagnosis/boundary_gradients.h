// Both gradients of one rollout: with frozen context, and the addition of an open one.
#pragma once

#include "sgf/training/build_stage.h"

#include <vector>

namespace sgf {

// For the generator update of `step`, with the current weights, in the order of the masters.
struct BoundaryGradients {
  GeneratorStep frozen_step, open_step;
  std::vector<at::Tensor> frozen;
  std::vector<at::Tensor> context;  // open - frozen
};
BoundaryGradients boundary_gradients(const DmdParts& parts, int64_t step);

}  // namespace sgf
