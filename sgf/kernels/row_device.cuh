// Device side of the row kernels: 16-byte accesses, sums over a block, and how rows are dealt to blocks.
#pragma once

#include "sgf/kernels/row_cuda.h"

#include <cuda_bf16.h>
#include <cuda_runtime.h>

namespace sgf::cuda {

// N consecutive values, float32 in registers.
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

// N float32 values at any width: parameters and sums are float32 whatever the rows are.
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

struct Pair {
  float a, b;
};

// Sums over all threads of the block, the same for each. `scratch` holds 64 floats; consecutive calls are safe.
__device__ inline Pair block_sum(Pair value, float* scratch) {
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1) {
    value.a += __shfl_xor_sync(0xffffffffu, value.a, offset);
    value.b += __shfl_xor_sync(0xffffffffu, value.b, offset);
  }
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  __syncthreads();  // the last call's readers are done
  if (lane == 0) scratch[warp] = value.a, scratch[32 + warp] = value.b;
  __syncthreads();
  Pair sum{0, 0};
  for (int i = 0; i < warps; ++i) sum.a += scratch[i], sum.b += scratch[32 + i];
  return sum;
}

// Rows [begin, end) of a group that block (group, split) = (blockIdx.x, blockIdx.y) walks.
struct RowSlice {
  int64_t begin, end;
};

__device__ inline RowSlice rows_of_block(const RowShape& shape) {
  const int64_t per_block = (shape.rows_per_group + gridDim.y - 1) / gridDim.y;
  const int64_t first = blockIdx.x * shape.rows_per_group;
  const int64_t begin = blockIdx.y * per_block;
  const int64_t end = begin + per_block < shape.rows_per_group ? begin + per_block : shape.rows_per_group;
  return {first + begin, first + (end > begin ? end : begin)};
}

// Threads for a row, whole warps.
template <class T>
unsigned threads_for(const RowShape& shape) {
  const int64_t needed = shape.channels / kWidth<T>;
  return static_cast<unsigned>((needed + 31) / 32 * 32);
}

inline const char* launch_error() {
  const cudaError_t status = cudaGetLastError();
  return status == cudaSuccess ? nullptr : cudaGetErrorString(status);
}

template <class T>
dim3 grid_for(const RowShape& shape) {
  return {static_cast<unsigned>(shape.groups), static_cast<unsigned>(row_splits(shape))};
}

// Launches the kernel of the rows' type, one block for each (group, split). Null when launched, else the reason.
template <class Io>
const char* launch_by_type(void (*bfloat16_kernel)(Io, RowShape), void (*float32_kernel)(Io, RowShape), const Io& io,
                           const RowShape& shape, FloatType type, cudaStream_t stream) {
  if (type == FloatType::kBFloat16)
    bfloat16_kernel<<<grid_for<__nv_bfloat16>(shape), threads_for<__nv_bfloat16>(shape), 0, stream>>>(io, shape);
  else
    float32_kernel<<<grid_for<float>(shape), threads_for<float>(shape), 0, stream>>>(io, shape);
  return launch_error();
}

}  // namespace sgf::cuda
