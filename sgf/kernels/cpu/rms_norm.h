// The CPU kernel of rms_norm. Torch-free.
#pragma once

#include "sgf/kernels/cpu/row.h"

namespace sgf::cpu {

template <class T>
struct RmsNormForward {
  const T* x;       // [groups, rows_per_group, channels]
  const T* weight;  // [channels]
  T eps;
  T* out;
  T* inverse;  // [rows]
};

template <class T>
struct RmsNormBackward {
  const T* grad;
  const T* x;
  const T* weight;
  const T* inverse;
  T* grad_x;
  T* weight_parts;  // [groups, channels]: the caller sums them in an order that does not depend on threads
};

// The last group may have fewer rows; `rows` is the total.
void rms_norm(const RmsNormForward<float>& io, const RowShape& shape, int64_t rows, RowRange groups);
void rms_norm(const RmsNormForward<double>& io, const RowShape& shape, int64_t rows, RowRange groups);
void rms_norm(const RmsNormBackward<float>& io, const RowShape& shape, int64_t rows, RowRange groups);
void rms_norm(const RmsNormBackward<double>& io, const RowShape& shape, int64_t rows, RowRange groups);

}  // namespace sgf::cpu
