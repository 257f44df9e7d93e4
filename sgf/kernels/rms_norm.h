// RMSNorm with a learned scale, over the last dim.
#pragma once

#include <ATen/core/Tensor.h>

namespace sgf {

// x / sqrt(mean(x^2) + eps) * weight, computed wide, returned in x's dtype.
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps);

// Plain reference.
at::Tensor rms_norm_reference(const at::Tensor& x, const at::Tensor& weight, double eps);

}  // namespace sgf
