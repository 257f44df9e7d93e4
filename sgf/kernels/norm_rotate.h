// What queries and keys pass before attention, without gradients: RMSNorm over the full width, the cut into heads, the
// rotation. On a GPU one kernel, which reads rows of a wider product where they lie.
#pragma once

#include "sgf/kernels/rope.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace sgf {

// x [B, L, N * D], weight [N * D] -> [B, L, N, D]; without a table un-rotated.
at::Tensor norm_rotate(const at::Tensor& x, const at::Tensor& weight, double eps, int64_t heads,
                       const std::optional<RopeTable>& table);

// The plain twin: the two operators one by one.
at::Tensor norm_rotate_reference(const at::Tensor& x, const at::Tensor& weight, double eps, int64_t heads,
                                 const std::optional<RopeTable>& table);

}  // namespace sgf
