// The CPU kernel of layer_norm_modulate: one pass over the rows. Torch-free.
#pragma once

#include "sgf/kernels/cpu/row.h"

namespace sgf::cpu {

template <class T>
struct LayerNormModulateForward {
  const T* x;      // [groups, rows_per_group, channels]
  const T* shift;  // [groups, channels], rows `stride` apart
  const T* scale;
  int64_t shift_stride, scale_stride;
  T eps;
  T* out;
  T* mean;  // [rows]
  T* inverse;
};

template <class T>
struct LayerNormModulateBackward {
  const T* grad;
  const T* x;
  const T* scale;
  int64_t scale_stride;
  const T* mean;
  const T* inverse;
  T* grad_x;
  T* grad_shift;  // [groups, channels]
  T* grad_scale;
};

// Over `groups` of the shape; different ranges touch different memory.
void layer_norm_modulate(const LayerNormModulateForward<float>& io, const RowShape& shape, RowRange groups);
void layer_norm_modulate(const LayerNormModulateForward<double>& io, const RowShape& shape, RowRange groups);
void layer_norm_modulate(const LayerNormModulateBackward<float>& io, const RowShape& shape, RowRange groups);
void layer_norm_modulate(const LayerNormModulateBackward<double>& io, const RowShape& shape, RowRange groups);

}  // namespace sgf::cpu
