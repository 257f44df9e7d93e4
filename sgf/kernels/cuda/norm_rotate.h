// CUDA launch of norm_rotate. Returns null on success, else the reason.
#pragma once

#include "sgf/kernels/cuda/row.h"

namespace sgf::cuda {

struct NormRotate {
  const void* x;       // rows of C elements, `x_stride` from one to the next
  int64_t x_stride;    // a multiple of the vector width
  const void* weight;  // [C], of x's type
  float eps;
  const float* cos;  // [tokens, D / 2]; null: no rotation
  const float* sin;
  void* out;       // [rows, C], contiguous
  int64_t tokens;  // rows of a sample
  int64_t width;   // D, a multiple of the vector width
};

[[nodiscard]] const char* norm_rotate(const NormRotate& io, const RowShape& shape, FloatType type, cudaStream_t stream);

}  // namespace sgf::cuda
