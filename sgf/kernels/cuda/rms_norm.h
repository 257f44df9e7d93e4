// Launches behind rms_norm on a CUDA device. Return null on success, else the reason.
#pragma once

#include "sgf/kernels/cuda/row.h"

namespace sgf::cuda {

struct RmsNormForward {
  const void* x;       // [1, rows, C]
  const void* weight;  // [C], of x's type
  float eps;
  void* out;
  float* inverse;  // [rows], 1 / root mean square
};

struct RmsNormBackward {
  const void* grad;  // as x
  const void* x;
  const void* weight;
  const float* inverse;
  void* grad_x;
  float* weight_parts;  // [1, row_splits, C]
};

[[nodiscard]] const char* rms_norm(const RmsNormForward& io, const RowShape& shape, FloatType type,
                                   cudaStream_t stream);
[[nodiscard]] const char* rms_norm(const RmsNormBackward& io, const RowShape& shape, FloatType type,
                                   cudaStream_t stream);

}  // namespace sgf::cuda
