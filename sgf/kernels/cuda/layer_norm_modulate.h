// Launches behind layer_norm_modulate on a CUDA device. Return null on success, else the reason.
#pragma once

#include "sgf/kernels/cuda/row.h"

namespace sgf::cuda {

struct LayerNormModulateForward {
  const void* x;  // [groups, rows, C]
  GroupRows shift;
  GroupRows scale;
  float base;  // added to the scale: 1 for a modulation, 0 for an affine norm
  float eps;
  void* out;       // as x
  float* mean;     // [rows()]
  float* inverse;  // [rows()], 1 / standard deviation
};

struct LayerNormModulateBackward {
  const void* grad;  // as x
  const void* x;
  GroupRows scale;
  float base;
  const float* mean;
  const float* inverse;
  void* grad_x;
  float* shift_parts;  // [groups, row_splits, C]
  float* scale_parts;
};

[[nodiscard]] const char* layer_norm_modulate(const LayerNormModulateForward& io, const RowShape& shape, FloatType type,
                                              cudaStream_t stream);
[[nodiscard]] const char* layer_norm_modulate(const LayerNormModulateBackward& io, const RowShape& shape,
                                              FloatType type, cudaStream_t stream);

}  // namespace sgf::cuda
