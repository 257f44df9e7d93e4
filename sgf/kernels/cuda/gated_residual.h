// Launches behind gated_residual on a CUDA device. Return null on success, else the reason.
#pragma once

#include "sgf/kernels/cuda/row.h"

namespace sgf::cuda {

struct GatedResidualForward {
  const void* x;  // [groups, rows, C]
  const void* y;
  GroupRows gate;
  void* out;
};

struct GatedResidualBackward {
  const void* grad;  // as x
  const void* y;
  GroupRows gate;
  void* grad_y;
  float* gate_parts;  // [groups, row_splits, C]
};

[[nodiscard]] const char* gated_residual(const GatedResidualForward& io, const RowShape& shape, FloatType type,
                                         cudaStream_t stream);
[[nodiscard]] const char* gated_residual(const GatedResidualBackward& io, const RowShape& shape, FloatType type,
                                         cudaStream_t stream);

}  // namespace sgf::cuda
