// LayerNorm, then scale and shift per frame: how a Wan block reads its residual stream. Also with one affine map for
// all rows.
#pragma once

#include <ATen/core/Tensor.h>

namespace sgf {

// x [B, F * L, C]; shift and scale [B, F, C], wide. Returns norm(x) * (1 + scale) + shift in x's dtype, computed wide.
at::Tensor layer_norm_modulate(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale, double eps);

// Plain reference.
at::Tensor layer_norm_modulate_reference(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale,
                                         double eps);

// norm(x) * weight + bias over the last dim, computed wide. On a GPU it uses the same kernel, which is faster than
// ATen's on narrow rows, forward and backward.
at::Tensor layer_norm_affine(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, double eps);

// Plain reference.
at::Tensor layer_norm_affine_reference(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                                       double eps);

}  // namespace sgf
