// RMSNorm and rotation in one pass over equally spaced rows. Rounds in between, as the two separate kernels do.
#include "sgf/kernels/cuda/norm_rotate.h"
#include "sgf/kernels/cuda/row_device.cuh"

namespace sgf::cuda {
namespace {

template <class T>
__device__ float rounded(float x) {
  T narrow;
  assign(narrow, x);
  return to_float(narrow);
}

template <class T, int N>
__device__ void turn(Values<N>& x, const NormRotate& io, int64_t row, int64_t column) {
  const int64_t angle = row % io.tokens * (io.width / 2) + column % io.width / 2;
#pragma unroll
  for (int i = 0; i < N; i += 2) {
    const float cos = io.cos[angle + i / 2], sin = io.sin[angle + i / 2];
    const float re = rounded<T>(x.v[i]), im = rounded<T>(x.v[i + 1]);
    x.v[i] = re * cos - im * sin;
    x.v[i + 1] = re * sin + im * cos;
  }
}

template <class T>
__global__ void norm_rotate_kernel(NormRotate io, RowShape shape) {
  __shared__ float scratch[64];
  constexpr int N = kWidth<T>;
  const int64_t column = threadIdx.x * N;
  const bool active = column < shape.channels;
  Values<N> weight{};
  if (active) weight = load(static_cast<const T*>(io.weight) + column);
  const RowSlice slice = rows_of_threads(shape);
  for (int64_t row = slice.begin; row < slice.end; row += slice.step) {
    Values<N> x{};
    if (active) x = load(static_cast<const T*>(io.x) + row * io.x_stride + column);
    float squares = 0;
#pragma unroll
    for (int i = 0; i < N; ++i) squares += x.v[i] * x.v[i];
    const float mean = row_sum({squares, 0}, scratch).a / static_cast<float>(shape.channels);
    const float inverse = rsqrtf(mean + io.eps);
    if (!active) continue;
#pragma unroll
    for (int i = 0; i < N; ++i) x.v[i] *= inverse * weight.v[i];
    if (io.cos != nullptr) turn<T>(x, io, row, column);
    store(static_cast<T*>(io.out) + row * shape.channels + column, x);
  }
}

}  // namespace

const char* norm_rotate(const NormRotate& io, const RowShape& shape, FloatType type, cudaStream_t stream) {
  return launch_by_type(norm_rotate_kernel<__nv_bfloat16>, norm_rotate_kernel<float>, io, shape, type,
                        AcrossRow::kSummed, DownColumns::kNever, stream);
}

}  // namespace sgf::cuda
