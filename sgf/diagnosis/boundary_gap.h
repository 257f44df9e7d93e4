// The effect of the gradient boundary, in numbers.
#pragma once

#include <cstdint>

namespace sgf {

struct DmdParts;

struct BoundaryGap {
  double loss_frozen = 0;
  double loss_open = 0;     // equal to the frozen one: the boundary does not change the forward pass
  double norm_frozen = 0;   // norm of the whole gradient: Self Forcing
  double norm_open = 0;     // Self Gradient Forcing
  double context_norm = 0;  // of open - frozen: the part through the context's keys and values
  double cosine = 0;        // between that part and the frozen gradient
  double recovery_relative_l2 = 0;
};

// For the generator update of `step`, with the current weights.
BoundaryGap boundary_gap(const DmdParts& parts, int64_t step);

}  // namespace sgf
