// What the gradient boundary changes, in numbers.
#pragma once

#include <cstdint>

namespace sgf {

struct DmdParts;

struct BoundaryGap {
  double loss_frozen = 0;
  double loss_open = 0;     // the same: the boundary is not in the forward pass
  double norm_frozen = 0;   // of the whole gradient: Self Forcing
  double norm_open = 0;     // Self Gradient Forcing
  double context_norm = 0;  // of open - frozen: what flows through the context's keys and values
  double cosine = 0;        // of that part and the frozen gradient
  double recovery_relative_l2 = 0;
};

// Of the generator update of `step`, with the weights as they are.
BoundaryGap boundary_gap(const DmdParts& parts, int64_t step);

}  // namespace sgf
