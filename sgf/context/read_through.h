// The one detach that implements the frozen boundary.
#pragma once

#include "sgf/context/gradient_boundary.h"

#include <ATen/core/Tensor.h>

namespace sgf {

// Context keys or values as the noisy queries read them. Context queries may read the same tensor: behind a frozen
// boundary no loss reaches them, so detaching their reads too changes no gradient.
inline at::Tensor read_through(const at::Tensor& context, GradientBoundary boundary) {
  return boundary == GradientBoundary::kFrozenContext ? context.detach() : context;
}

}  // namespace sgf
