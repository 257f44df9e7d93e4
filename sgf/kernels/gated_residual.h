// x + gate * y with one gate per frame: how a Wan block writes to its residual stream.
#pragma once

#include <ATen/core/Tensor.h>

namespace sgf {

// x and y [B, F * L, C]; gate [B, F, C], wide. Computed wide, returned in x's dtype.
at::Tensor gated_residual(const at::Tensor& x, const at::Tensor& y, const at::Tensor& gate);

// Plain reference.
at::Tensor gated_residual_reference(const at::Tensor& x, const at::Tensor& y, const at::Tensor& gate);

}  // namespace sgf
