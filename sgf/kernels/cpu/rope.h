// The CPU kernel of rotate. Torch-free.
#pragma once

#include "sgf/kernels/cpu/row.h"

namespace sgf::cpu {

template <class T>
struct Rotation {
  const T* x;    // [B, L, N, D]
  const T* cos;  // [L, D / 2]
  const T* sin;
  T* out;
  int64_t tokens;  // L
  int64_t heads;
  int64_t width;   // D
  bool backwards;  // rotates by the negative angle, for the gradient
};

// Over `rows` of the [B * L] tokens.
void rotate(const Rotation<float>& io, RowRange rows);
void rotate(const Rotation<double>& io, RowRange rows);

}  // namespace sgf::cpu
