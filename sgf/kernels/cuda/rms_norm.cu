// RMSNorm in one pass over the rows, forward and backward.
#include "sgf/kernels/cuda/rms_norm.h"
#include "sgf/kernels/cuda/row_device.cuh"

namespace sgf::cuda {
namespace {

template <class T>
__global__ void forward_kernel(RmsNormForward io, RowShape shape) {
  __shared__ float scratch[64];
  constexpr int N = kWidth<T>;
  const int64_t column = threadIdx.x * N;
  const bool active = column < shape.channels;
  Values<N> weight{};
  if (active) weight = load(static_cast<const T*>(io.weight) + column);
  const RowSlice slice = rows_of_threads(shape);
  for (int64_t row = slice.begin; row < slice.end; row += slice.step) {
    Values<N> x{};
    if (active) x = load(static_cast<const T*>(io.x) + row * shape.channels + column);
    float squares = 0;
#pragma unroll
    for (int i = 0; i < N; ++i) squares += x.v[i] * x.v[i];
    const float mean = row_sum({squares, 0}, scratch).a / static_cast<float>(shape.channels);
    const float inverse = rsqrtf(mean + io.eps);
    if (active) {
#pragma unroll
      for (int i = 0; i < N; ++i) x.v[i] *= inverse * weight.v[i];
      store(static_cast<T*>(io.out) + row * shape.channels + column, x);
    }
    if (threadIdx.x == 0) io.inverse[row] = inverse;
  }
}

template <class T>
__global__ void backward_kernel(RmsNormBackward io, RowShape shape) {
  __shared__ float scratch[64];
  constexpr int N = kWidth<T>;
  const int64_t column = threadIdx.x * N;
  const bool active = column < shape.channels;
  Values<N> weight{}, weight_sum{};
  if (active) weight = load(static_cast<const T*>(io.weight) + column);
  const RowSlice slice = rows_of_threads(shape);
  for (int64_t row = slice.begin; row < slice.end; row += slice.step) {
    Values<N> grad{}, normed{};
    const float inverse = io.inverse[row];
    if (active) {
      grad = load(static_cast<const T*>(io.grad) + row * shape.channels + column);
      normed = load(static_cast<const T*>(io.x) + row * shape.channels + column);
    }
    float dot = 0;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      normed.v[i] *= inverse;
      weight_sum.v[i] += grad.v[i] * normed.v[i];
      grad.v[i] *= weight.v[i];
      dot += grad.v[i] * normed.v[i];
    }
    const float mean = row_sum({dot, 0}, scratch).a / static_cast<float>(shape.channels);
    if (active) {
#pragma unroll
      for (int i = 0; i < N; ++i) grad.v[i] = (grad.v[i] - normed.v[i] * mean) * inverse;
      store(static_cast<T*>(io.grad_x) + row * shape.channels + column, grad);
    }
  }
  store_column_sums<N>(io.weight_parts, weight_sum, shape);
}

}  // namespace

const char* rms_norm(const RmsNormForward& io, const RowShape& shape, FloatType type, cudaStream_t stream) {
  return launch_by_type(forward_kernel<__nv_bfloat16>, forward_kernel<float>, io, shape, type, AcrossRow::kSummed,
                        DownColumns::kNever, stream);
}

const char* rms_norm(const RmsNormBackward& io, const RowShape& shape, FloatType type, cudaStream_t stream) {
  return launch_by_type(backward_kernel<__nv_bfloat16>, backward_kernel<float>, io, shape, type, AcrossRow::kSummed,
                        DownColumns::kSummed, stream);
}

}  // namespace sgf::cuda
