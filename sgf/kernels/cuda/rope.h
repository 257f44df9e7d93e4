// The launch behind rotate on a CUDA device. Returns null on success, else the reason.
#pragma once

#include "sgf/kernels/cuda/row.h"

namespace sgf::cuda {

struct Rotation {
  const void* x;     // [B, L, N, D]
  const float* cos;  // [L, D / 2]
  const float* sin;
  void* out;         // as x
  int64_t elements;  // of x
  int64_t tokens;    // L
  int64_t heads;     // N
  int64_t width;     // D, a multiple of the vector width
  bool backwards;    // rotate by the negative angle, for the gradient
};

[[nodiscard]] const char* rotate(const Rotation& io, FloatType type, cudaStream_t stream);

}  // namespace sgf::cuda
