// The launch behind column_sums on a CUDA device. Returns null on success, else the reason.
#pragma once

#include "sgf/kernels/cuda/row.h"

namespace sgf::cuda {

struct ColumnSums {
  const void* x;  // [1, rows, C]
  float* parts;   // [1, row_splits, C]
};

[[nodiscard]] const char* column_sums(const ColumnSums& io, const RowShape& shape, FloatType type, cudaStream_t stream);

}  // namespace sgf::cuda
