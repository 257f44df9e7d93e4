// Both gradients of one and the same rollout: with the context frozen, and what an open one adds.
#pragma once

#include "sgf/training/build_stage.h"

#include <vector>

namespace sgf {

// Of the generator update of `step`, with the weights as they are, in the order of its masters.
struct BoundaryGradients {
  GeneratorStep frozen_step, open_step;
  std::vector<at::Tensor> frozen;
  std::vector<at::Tensor> context;  // open - frozen
};
BoundaryGradients boundary_gradients(const DmdParts& parts, int64_t step);

}  // namespace sgf
