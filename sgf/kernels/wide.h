// The dtype in which norms, rotations, softmax and modulation are computed: float32 for 16-bit tensors, else their own.
#pragma once

#include <ATen/core/Tensor.h>

namespace sgf {

inline at::ScalarType wide_type(at::ScalarType type) {
  return type == at::kBFloat16 || type == at::kHalf ? at::kFloat : type;
}

inline at::Tensor wide(const at::Tensor& t) { return t.to(wide_type(t.scalar_type())); }

}  // namespace sgf
