// The linear layer over rows. On a GPU its gradients are produced in the weights' own layout, and a row kernel sums the
// bias gradient: with narrow rows ATen's sum takes longer than the matmuls.
#pragma once

#include <ATen/core/Tensor.h>

namespace sgf {

// x [..., C] times weight [D, C] transposed, plus bias [D].
at::Tensor linear_rows(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

// Plain reference.
at::Tensor linear_rows_reference(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

// The linear layer followed by GELU (tanh). In bfloat16 on a GPU without gradients, the matrix product applies GELU
// itself, before it rounds.
at::Tensor linear_gelu(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

// Sums of x [rows, C] over its rows, accumulated in float32 or wider and rounded to x's type.
at::Tensor column_sums(const at::Tensor& x);

}  // namespace sgf
