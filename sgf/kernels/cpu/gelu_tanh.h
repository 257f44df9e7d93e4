// The CPU kernel of gelu_tanh, float32. Torch-free.
#pragma once

#include "sgf/kernels/cpu/row.h"

namespace sgf::cpu {

struct GeluTanhForward {
  const float* x;
  float* out;
};

struct GeluTanhBackward {
  const float* grad;
  const float* x;
  float* grad_x;
};

// Over a range of elements.
void gelu_tanh(const GeluTanhForward& io, RowRange elements);
void gelu_tanh(const GeluTanhBackward& io, RowRange elements);

}  // namespace sgf::cpu
