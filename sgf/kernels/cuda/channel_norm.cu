// Sum, norm over channels and SiLU in one pass. Rows are short (96 to 384 channels), so a warp or half a warp takes one
// row, and a thread keeps its part of gamma and bias in registers from row to row.
#include "sgf/kernels/cuda/channel_norm.h"
#include "sgf/kernels/cuda/row_device.cuh"

namespace sgf::cuda {
namespace {

constexpr int kThreads = 256;

template <int kLanes>
__device__ float sum_over_lanes(float value) {
#pragma unroll
  for (int offset = kLanes / 2; offset > 0; offset >>= 1) value += __shfl_xor_sync(0xffffffffu, value, offset);
  return value;
}

__device__ inline float silu(float x) { return x / (1.0f + __expf(-x)); }

template <class T, int kLanes, int kVectors>
__global__ void __launch_bounds__(kThreads) channel_norm_kernel(ChannelNormForward io, RowShape shape) {
  constexpr int N = kWidth<T>, kRows = kThreads / kLanes;
  const int lane = threadIdx.x % kLanes;
  const int64_t channels = shape.channels, rows = shape.rows_per_group;
  const int64_t first = blockIdx.y * rows * channels;
  const T* x = static_cast<const T*>(io.x) + first;
  const T* residual = io.residual == nullptr ? nullptr : static_cast<const T*>(io.residual) + first;
  T* sum = io.sum == nullptr ? nullptr : static_cast<T*>(io.sum) + first;
  T* out = io.out == nullptr ? nullptr : static_cast<T*>(io.out) + blockIdx.y * io.out_stride;
  const float root = sqrtf(static_cast<float>(channels));
  Values<N> bias[kVectors]{}, scale[kVectors]{};
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const int64_t column = (lane + i * kLanes) * N;
    if (column >= channels) continue;
    if (io.bias != nullptr) bias[i] = load_floats<N>(io.bias + column);
    if (out != nullptr) scale[i] = load_floats<N>(io.gamma + column);
  }
  // All lanes of a warp must iterate together: the sums need every one of them.
  for (int64_t base = int64_t{blockIdx.x} * kRows; base < rows; base += int64_t{gridDim.x} * kRows) {
    const int64_t row = base + threadIdx.x / kLanes;
    Values<N> value[kVectors]{};
    float squares = 0;
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      const int64_t column = (lane + i * kLanes) * N;
      if (column >= channels || row >= rows) continue;
      value[i] = load(x + row * channels + column);
#pragma unroll
      for (int j = 0; j < N; ++j) value[i].v[j] += bias[i].v[j];
      if (residual != nullptr) {
        const Values<N> more = load(residual + row * channels + column);
#pragma unroll
        for (int j = 0; j < N; ++j) value[i].v[j] += more.v[j];
      }
      if (sum != nullptr) store(sum + row * channels + column, value[i]);
#pragma unroll
      for (int j = 0; j < N; ++j) squares += value[i].v[j] * value[i].v[j];
    }
    if (out == nullptr) continue;
    const float inverse = root / fmaxf(sqrtf(sum_over_lanes<kLanes>(squares)), 1e-12f);
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      const int64_t column = (lane + i * kLanes) * N;
      if (column >= channels || row >= rows) continue;
#pragma unroll
      for (int j = 0; j < N; ++j) {
        const float normed = value[i].v[j] * inverse * scale[i].v[j];
        value[i].v[j] = io.silu ? silu(normed) : normed;
      }
      store(out + row * channels + column, value[i]);
    }
  }
}

template <class T, int kLanes, int kVectors>
void launch(const ChannelNormForward& io, const RowShape& shape, cudaStream_t stream) {
  constexpr int64_t kRows = kThreads / kLanes, kMostBlocks = 4096;
  const int64_t wanted = (shape.rows_per_group + kRows - 1) / kRows;
  const dim3 grid(static_cast<unsigned>(wanted < kMostBlocks ? wanted : kMostBlocks),
                  static_cast<unsigned>(shape.groups));
  channel_norm_kernel<T, kLanes, kVectors><<<grid, kThreads, 0, stream>>>(io, shape);
}

template <class T>
void launch_by_width(const ChannelNormForward& io, const RowShape& shape, cudaStream_t stream) {
  const int64_t vectors = shape.channels / kWidth<T>;
  if (vectors <= 16)
    launch<T, 16, 1>(io, shape, stream);
  else if (vectors <= 32)
    launch<T, 32, 1>(io, shape, stream);
  else if (vectors <= 64)
    launch<T, 32, 2>(io, shape, stream);
  else if (vectors <= 128)
    launch<T, 32, 4>(io, shape, stream);
  else
    launch<T, 32, 8>(io, shape, stream);
}

}  // namespace

const char* channel_norm(const ChannelNormForward& io, const RowShape& shape, FloatType type, cudaStream_t stream) {
  if (shape.rows() == 0) return nullptr;
  if (type == FloatType::kBFloat16)
    launch_by_width<__nv_bfloat16>(io, shape, stream);
  else
    launch_by_width<float>(io, shape, stream);
  return launch_error();
}

}  // namespace sgf::cuda
