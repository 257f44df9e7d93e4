// The CPU kernel of gated_residual. Torch-free.
#pragma once

#include "sgf/kernels/cpu/row.h"

namespace sgf::cpu {

template <class T>
struct GatedResidualForward {
  const T* x;  // [groups, rows_per_group, channels]
  const T* y;
  const T* gate;  // [groups, channels], rows `gate_stride` apart
  int64_t gate_stride;
  T* out;
};

template <class T>
struct GatedResidualBackward {
  const T* grad;
  const T* y;
  const T* gate;
  int64_t gate_stride;
  T* grad_y;
  T* grad_gate;  // [groups, channels]
};

void gated_residual(const GatedResidualForward<float>& io, const RowShape& shape, RowRange groups);
void gated_residual(const GatedResidualForward<double>& io, const RowShape& shape, RowRange groups);
void gated_residual(const GatedResidualBackward<float>& io, const RowShape& shape, RowRange groups);
void gated_residual(const GatedResidualBackward<double>& io, const RowShape& shape, RowRange groups);

}  // namespace sgf::cpu
