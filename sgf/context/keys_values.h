// Keys and values of one layer.
#pragma once

#include <ATen/core/Tensor.h>

namespace sgf {

// [B, L, N, D] each. Keys are not rotated unless said otherwise, because positions depend on the reader.
struct KeysValues {
  at::Tensor keys;
  at::Tensor values;
};

}  // namespace sgf
