// The linear layer over rows. On a GPU its gradients leave in the weights' own layout, and the bias's is summed by a
// row kernel: with narrow rows ATen's sum takes longer than the products beside it.
#pragma once

#include <ATen/core/Tensor.h>

namespace sgf {

// x [..., C] times weight [D, C] transposed, plus bias [D].
at::Tensor linear_rows(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

// The plain twin.
at::Tensor linear_rows_reference(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

// GELU (tanh) of it. Without gradients on a GPU in bfloat16 the product's own kernel applies it, before it rounds.
at::Tensor linear_gelu(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

// Sums of x [rows, C] over its rows, added up in float32 at least, rounded to x's type.
at::Tensor column_sums(const at::Tensor& x);

}  // namespace sgf
