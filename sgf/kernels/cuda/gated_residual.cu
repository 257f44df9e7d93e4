// x + gate * y, and the gradients of y and gate, each in one pass over the rows.
#include "sgf/kernels/cuda/gated_residual.h"
#include "sgf/kernels/cuda/row_device.cuh"

namespace sgf::cuda {
namespace {

template <class T>
__global__ void forward_kernel(GatedResidualForward io, RowShape shape) {
  constexpr int N = kWidth<T>;
  const int64_t column = threadIdx.x * N;
  if (column >= shape.channels) return;
  const Values<N> gate = load_group_row<T>(io.gate, column);
  const RowSlice slice = rows_of_threads(shape);
  for (int64_t row = slice.begin; row < slice.end; row += slice.step) {
    const int64_t at = row * shape.channels + column;
    Values<N> x = load(static_cast<const T*>(io.x) + at);
    const Values<N> y = load(static_cast<const T*>(io.y) + at);
#pragma unroll
    for (int i = 0; i < N; ++i) x.v[i] += y.v[i] * gate.v[i];
    store(static_cast<T*>(io.out) + at, x);
  }
}

template <class T>
__global__ void backward_kernel(GatedResidualBackward io, RowShape shape) {
  constexpr int N = kWidth<T>;
  const int64_t column = threadIdx.x * N;
  const bool active = column < shape.channels;
  Values<N> gate{}, gate_sum{};
  if (active) gate = load_group_row<T>(io.gate, column);
  const RowSlice slice = rows_of_threads(shape);
  for (int64_t row = slice.begin; active && row < slice.end; row += slice.step) {
    const int64_t at = row * shape.channels + column;
    Values<N> grad = load(static_cast<const T*>(io.grad) + at);
    const Values<N> y = load(static_cast<const T*>(io.y) + at);
#pragma unroll
    for (int i = 0; i < N; ++i) {
      gate_sum.v[i] += grad.v[i] * y.v[i];
      grad.v[i] *= gate.v[i];
    }
    store(static_cast<T*>(io.grad_y) + at, grad);
  }
  store_column_sums<N>(io.gate_parts, gate_sum, shape);
}

}  // namespace

const char* gated_residual(const GatedResidualForward& io, const RowShape& shape, FloatType type, cudaStream_t stream) {
  return launch_by_type(forward_kernel<__nv_bfloat16>, forward_kernel<float>, io, shape, type, AcrossRow::kNever,
                        DownColumns::kNever, stream);
}

const char* gated_residual(const GatedResidualBackward& io, const RowShape& shape, FloatType type,
                           cudaStream_t stream) {
  return launch_by_type(backward_kernel<__nv_bfloat16>, backward_kernel<float>, io, shape, type, AcrossRow::kNever,
                        DownColumns::kSummed, stream);
}

}  // namespace sgf::cuda
