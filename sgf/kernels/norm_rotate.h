// The steps between projection and attention, for calls without gradients: RMSNorm over the full width, split into
// heads, rotation. One kernel on a GPU, which can read slices of a wider matrix product without a copy.
#pragma once

#include "sgf/kernels/rope.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace sgf {

// x [B, L, N * D], weight [N * D] -> [B, L, N, D]. Not rotated if there is no table.
at::Tensor norm_rotate(const at::Tensor& x, const at::Tensor& weight, double eps, int64_t heads,
                       const std::optional<RopeTable>& table);

// Plain reference: the two operators one by one.
at::Tensor norm_rotate_reference(const at::Tensor& x, const at::Tensor& weight, double eps, int64_t heads,
                                 const std::optional<RopeTable>& table);

}  // namespace sgf
