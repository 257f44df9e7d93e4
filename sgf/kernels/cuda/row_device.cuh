// Device side of the row kernels: 16-byte accesses, sums over a block, and how rows are assigned to blocks.
#pragma once

#include "sgf/kernels/cuda/row.h"

#include <cuda_bf16.h>
#include <cuda_runtime.h>

namespace sgf::cuda {

// N consecutive values, as float32 in registers.
template <int N>
struct Values {
  float v[N];
};

template <class T>
constexpr int kWidth = 16 / sizeof(T);

template <class T>
struct alignas(16) Packed {
  T v[kWidth<T>];
};

__device__ inline float to_float(float x) { return x; }
__device__ inline float to_float(__nv_bfloat16 x) { return __bfloat162float(x); }
__device__ inline void assign(float& out, float x) { out = x; }
__device__ inline void assign(__nv_bfloat16& out, float x) { out = __float2bfloat16_rn(x); }

template <class T>
__device__ Values<kWidth<T>> load(const T* from) {
  const Packed<T> packed = *reinterpret_cast<const Packed<T>*>(from);
  Values<kWidth<T>> out;
#pragma unroll
  for (int i = 0; i < kWidth<T>; ++i) out.v[i] = to_float(packed.v[i]);
  return out;
}

template <class T>
__device__ void store(T* to, const Values<kWidth<T>>& values) {
  Packed<T> packed;
#pragma unroll
  for (int i = 0; i < kWidth<T>; ++i) assign(packed.v[i], values.v[i]);
  *reinterpret_cast<Packed<T>*>(to) = packed;
}

// N float32 values at any width: parameters and sums are always float32.
template <int N>
__device__ Values<N> load_floats(const float* from) {
  Values<N> out;
#pragma unroll
  for (int i = 0; i < N; i += 4) {
    const float4 quad = *reinterpret_cast<const float4*>(from + i);
    out.v[i] = quad.x, out.v[i + 1] = quad.y, out.v[i + 2] = quad.z, out.v[i + 3] = quad.w;
  }
  return out;
}

template <int N>
__device__ void store_floats(float* to, const Values<N>& values) {
#pragma unroll
  for (int i = 0; i < N; i += 4)
    *reinterpret_cast<float4*>(to + i) = {values.v[i], values.v[i + 1], values.v[i + 2], values.v[i + 3]};
}

// The parameters of this block's group at `column`.
template <class T>
__device__ Values<kWidth<T>> load_group_row(const GroupRows& rows, int64_t column) {
  const int64_t at = blockIdx.x * rows.stride + column;
  if (rows.is_wide) return load_floats<kWidth<T>>(static_cast<const float*>(rows.data) + at);
  return load(static_cast<const T*>(rows.data) + at);
}

struct Pair {
  float a, b;
};

// Sums over all threads of a row; every thread gets the result. `scratch` holds 64 floats; consecutive calls are safe.
__device__ inline Pair row_sum(Pair value, float* scratch) {
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1) {
    value.a += __shfl_xor_sync(0xffffffffu, value.a, offset);
    value.b += __shfl_xor_sync(0xffffffffu, value.b, offset);
  }
  if (blockDim.x == 32) return value;  // each warp has its own row
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  __syncthreads();  // wait for the readers of the last call
  if (lane == 0) scratch[warp] = value.a, scratch[32 + warp] = value.b;
  __syncthreads();
  Pair sum{0, 0};
  for (int w = 0; w < warps; ++w) sum.a += scratch[w], sum.b += scratch[32 + w];
  return sum;
}

// Rows begin, begin + step, … below end, which the threads of one threadIdx.y walk. Block (group, split) = (blockIdx.x,
// blockIdx.y) has consecutive rows and assigns them to its threadIdx.y in turn.
struct RowSlice {
  int64_t begin, end, step;
};

__device__ inline RowSlice rows_of_threads(const RowShape& shape) {
  const int64_t rows = shape.rows_per_group, per_block = (rows + gridDim.y - 1) / gridDim.y;
  const int64_t first = blockIdx.x * rows, begin = blockIdx.y * per_block;
  const int64_t end = begin + per_block < rows ? begin + per_block : rows;
  return {first + begin + threadIdx.y, first + end, blockDim.y};
}

constexpr int kThreadsOfManyRows = 256;  // in a block that walks several rows at once

// Adds the column sums of a block's threads and stores them in the block's part. All threads must call it.
template <int N>
__device__ void store_column_sums(float* parts, const Values<N>& sum, const RowShape& shape) {
  __shared__ float of_threads[kThreadsOfManyRows * N];
  const int64_t column = threadIdx.x * N;
  Values<N> total = sum;
  if (blockDim.y > 1) {
    __syncthreads();  // wait for the readers of the last call
    store_floats<N>(of_threads + (threadIdx.y * blockDim.x + threadIdx.x) * N, sum);
    __syncthreads();
    for (int y = 1; threadIdx.y == 0 && y < blockDim.y; ++y) {
      const Values<N> other = load_floats<N>(of_threads + (y * blockDim.x + threadIdx.x) * N);
#pragma unroll
      for (int i = 0; i < N; ++i) total.v[i] += other.v[i];
    }
  }
  if (threadIdx.y == 0 && column < shape.channels)
    store_floats<N>(parts + (int64_t{blockIdx.x} * gridDim.y + blockIdx.y) * shape.channels + column, total);
}

// Whether a kernel sums over the channels of a row. If so, a row must belong to one warp or one block.
enum class AcrossRow { kSummed, kNever };

// Whether it sums over the rows of a column, for which a block wants many rows.
enum class DownColumns { kSummed, kNever };

// Threads per row, in whole warps, times the rows that a block walks at once.
template <class T>
dim3 threads_for(const RowShape& shape, AcrossRow across) {
  const auto row = static_cast<unsigned>((shape.channels / kWidth<T> + 31) / 32 * 32);
  const bool many = row <= kThreadsOfManyRows && (row == 32 || across == AcrossRow::kNever);
  return {row, many ? kThreadsOfManyRows / row : 1u};
}

inline const char* launch_error() {
  const cudaError_t status = cudaGetLastError();
  return status == cudaSuccess ? nullptr : cudaGetErrorString(status);
}

template <class T, class Io>
void launch_rows_of(void (*kernel)(Io, RowShape), const Io& io, const RowShape& shape, AcrossRow across,
                    DownColumns down, cudaStream_t stream) {
  const dim3 threads = threads_for<T>(shape, across);
  const int64_t shares = down == DownColumns::kSummed ? row_splits(shape) : row_shares(shape, threads.y);
  const dim3 grid(static_cast<unsigned>(shape.groups), static_cast<unsigned>(shares));
  kernel<<<grid, threads, 0, stream>>>(io, shape);
}

// Launches the kernel of the rows' type, one block per (group, share of its rows). Returns null on success, else
// the reason.
template <class Io>
const char* launch_by_type(void (*bfloat16_kernel)(Io, RowShape), void (*float32_kernel)(Io, RowShape), const Io& io,
                           const RowShape& shape, FloatType type, AcrossRow across, DownColumns down,
                           cudaStream_t stream) {
  if (type == FloatType::kBFloat16)
    launch_rows_of<__nv_bfloat16>(bfloat16_kernel, io, shape, across, down, stream);
  else
    launch_rows_of<float>(float32_kernel, io, shape, across, down, stream);
  return launch_error();
}

}  // namespace sgf::cuda
