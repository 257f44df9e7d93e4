// Where future losses stop: the one difference between Self Forcing and Self Gradient Forcing.
#pragma once

#include <ATen/core/Tensor.h>

namespace sgf {

// The two values are the paper's matched pair, and its only difference.
enum class GradientBoundary {
  kFrozenContext,  // Self Forcing: context K/V are read as data.
  kOpenContext,    // Self Gradient Forcing: context K/V carry gradient to the weights that wrote them.
};

// Context keys or values as the noisy queries read them. Context queries may read the same tensor: behind a
// frozen boundary no loss reaches them, so cutting their reads too changes no gradient.
inline at::Tensor read_through(const at::Tensor& context, GradientBoundary boundary) {
  return boundary == GradientBoundary::kFrozenContext ? context.detach() : context;
}

}  // namespace sgf
