// GELU in its tanh form: the activation of Wan's FFN and text embedding.
#pragma once

#include <ATen/core/Tensor.h>

namespace sgf {

at::Tensor gelu_tanh(const at::Tensor& x);

// Plain reference.
at::Tensor gelu_tanh_reference(const at::Tensor& x);

}  // namespace sgf
