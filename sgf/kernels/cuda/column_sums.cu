// Sums over rows, per column.
#include "sgf/kernels/cuda/column_sums.h"
#include "sgf/kernels/cuda/row_device.cuh"

namespace sgf::cuda {
namespace {

template <class T>
__global__ void sum_kernel(ColumnSums io, RowShape shape) {
  constexpr int N = kWidth<T>;
  const int64_t column = threadIdx.x * N;
  const bool active = column < shape.channels;
  Values<N> sum{};
  const RowSlice slice = rows_of_threads(shape);
  for (int64_t row = slice.begin; active && row < slice.end; row += slice.step) {
    const Values<N> x = load(static_cast<const T*>(io.x) + row * shape.channels + column);
#pragma unroll
    for (int i = 0; i < N; ++i) sum.v[i] += x.v[i];
  }
  store_column_sums<N>(io.parts, sum, shape);
}

}  // namespace

const char* column_sums(const ColumnSums& io, const RowShape& shape, FloatType type, cudaStream_t stream) {
  return launch_by_type(sum_kernel<__nv_bfloat16>, sum_kernel<float>, io, shape, type, AcrossRow::kNever,
                        DownColumns::kSummed, stream);
}

}  // namespace sgf::cuda
