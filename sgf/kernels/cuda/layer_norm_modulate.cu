// LayerNorm and modulation in one pass over the rows; the backward pass computes dx and the modulation's gradient
// together.
#include "sgf/kernels/cuda/layer_norm_modulate.h"
#include "sgf/kernels/cuda/row_device.cuh"

namespace sgf::cuda {
namespace {

template <class T>
__global__ void forward_kernel(LayerNormModulateForward io, RowShape shape) {
  __shared__ float scratch[64];
  constexpr int N = kWidth<T>;
  const int64_t column = threadIdx.x * N;
  const bool active = column < shape.channels;
  const float per_channel = 1.0f / static_cast<float>(shape.channels);
  Values<N> shift{}, scale{};
  if (active) {
    shift = load_group_row<T>(io.shift, column);
    scale = load_group_row<T>(io.scale, column);
  }
  const RowSlice slice = rows_of_threads(shape);
  for (int64_t row = slice.begin; row < slice.end; row += slice.step) {
    Values<N> x{};
    if (active) x = load(static_cast<const T*>(io.x) + row * shape.channels + column);
    float sum = 0, squares = 0;
#pragma unroll
    for (int i = 0; i < N; ++i) sum += x.v[i];
    const float mean = row_sum({sum, 0}, scratch).a * per_channel;
    // The second sum uses squared distances: summing x^2 would cancel if the mean is large.
#pragma unroll
    for (int i = 0; i < N; ++i) squares += active ? (x.v[i] - mean) * (x.v[i] - mean) : 0;
    const float inverse = rsqrtf(row_sum({squares, 0}, scratch).a * per_channel + io.eps);
    if (active) {
#pragma unroll
      for (int i = 0; i < N; ++i) x.v[i] = (x.v[i] - mean) * inverse * (io.base + scale.v[i]) + shift.v[i];
      store(static_cast<T*>(io.out) + row * shape.channels + column, x);
    }
    if (threadIdx.x == 0) io.mean[row] = mean, io.inverse[row] = inverse;
  }
}

template <class T>
__global__ void backward_kernel(LayerNormModulateBackward io, RowShape shape) {
  __shared__ float scratch[64];
  constexpr int N = kWidth<T>;
  const int64_t column = threadIdx.x * N;
  const bool active = column < shape.channels;
  const float per_channel = 1.0f / static_cast<float>(shape.channels);
  Values<N> scale{}, shift_sum{}, scale_sum{};
  if (active) scale = load_group_row<T>(io.scale, column);
  const RowSlice slice = rows_of_threads(shape);
  for (int64_t row = slice.begin; row < slice.end; row += slice.step) {
    Values<N> grad{}, normed{};
    const float mean = io.mean[row], inverse = io.inverse[row];
    if (active) {
      grad = load(static_cast<const T*>(io.grad) + row * shape.channels + column);
      normed = load(static_cast<const T*>(io.x) + row * shape.channels + column);
    }
    Pair sums{0, 0};
#pragma unroll
    for (int i = 0; i < N; ++i) {
      normed.v[i] = active ? (normed.v[i] - mean) * inverse : 0;
      shift_sum.v[i] += grad.v[i];
      scale_sum.v[i] += grad.v[i] * normed.v[i];
      grad.v[i] *= io.base + scale.v[i];
      sums.a += grad.v[i];
      sums.b += grad.v[i] * normed.v[i];
    }
    sums = row_sum(sums, scratch);
    if (active) {
#pragma unroll
      for (int i = 0; i < N; ++i)
        grad.v[i] = (grad.v[i] - sums.a * per_channel - normed.v[i] * sums.b * per_channel) * inverse;
      store(static_cast<T*>(io.grad_x) + row * shape.channels + column, grad);
    }
  }
  store_column_sums<N>(io.shift_parts, shift_sum, shape);
  store_column_sums<N>(io.scale_parts, scale_sum, shape);
}

}  // namespace

const char* layer_norm_modulate(const LayerNormModulateForward& io, const RowShape& shape, FloatType type,
                                cudaStream_t stream) {
  return launch_by_type(forward_kernel<__nv_bfloat16>, forward_kernel<float>, io, shape, type, AcrossRow::kSummed,
                        DownColumns::kNever, stream);
}

const char* layer_norm_modulate(const LayerNormModulateBackward& io, const RowShape& shape, FloatType type,
                                cudaStream_t stream) {
  return launch_by_type(backward_kernel<__nv_bfloat16>, backward_kernel<float>, io, shape, type, AcrossRow::kSummed,
                        DownColumns::kSummed, stream);
}

}  // namespace sgf::cuda
