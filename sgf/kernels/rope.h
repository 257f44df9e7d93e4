// Rotary position embedding: neighbouring channels of a head form a complex number, rotated by an angle per token.
#pragma once

#include <ATen/core/Tensor.h>

namespace sgf {

// cos and sin of every token's angles, [L, D / 2], wide.
struct RopeTable {
  at::Tensor cos;
  at::Tensor sin;
};

// x [B, L, N, D] rotated, computed wide, returned in x's dtype.
at::Tensor rotate(const at::Tensor& x, const RopeTable& table);

// The same, written to `out`, which has the shape and dtype of x. No gradients.
void rotate_into(const at::Tensor& out, const at::Tensor& x, const RopeTable& table);

// Plain reference.
at::Tensor rotate_reference(const at::Tensor& x, const RopeTable& table);

}  // namespace sgf
