// Merges the parts into one softmax in a single pass; each thread joins 16 bytes of a head.
#include "sgf/kernels/cuda/key_parts.h"
#include "sgf/kernels/cuda/row_device.cuh"

namespace sgf::cuda {
namespace {

constexpr int kThreads = 256;

template <class T>
__global__ void join_kernel(JoinParts io) {
  constexpr int N = kWidth<T>;
  // 32-bit indices within a sample: 64-bit divisions would take longer than the memory access.
  const auto chunks = static_cast<uint32_t>(io.width / N), heads = static_cast<uint32_t>(io.heads);
  const uint32_t index = blockIdx.x * kThreads + threadIdx.x;
  const int64_t rows = io.queries * io.heads, sample = blockIdx.y;
  if (index >= rows * chunks) return;
  const uint32_t of_sample = index / chunks, query = of_sample / heads, head = of_sample % heads;
  const int64_t column = int64_t{index % chunks} * N, row = of_sample;
  const float* lse = io.lse + (sample * io.parts * io.heads + head) * io.queries + query;
  const int64_t lse_step = io.heads * io.queries;
  float largest = -INFINITY;
  for (int64_t part = 0; part < io.parts; ++part) largest = fmaxf(largest, lse[part * lse_step]);
  Values<N> sum{};
  float shares = 0;
  const T* out = static_cast<const T*>(io.out) + (sample * io.parts * rows + row) * io.width + column;
  for (int64_t part = 0; part < io.parts; ++part) {
    const float share = __expf(lse[part * lse_step] - largest);
    const Values<N> values = load(out + part * rows * io.width);
    shares += share;
#pragma unroll
    for (int i = 0; i < N; ++i) sum.v[i] += share * values.v[i];
  }
  const float scale = 1.0f / shares;
#pragma unroll
  for (int i = 0; i < N; ++i) sum.v[i] *= scale;
  store(static_cast<T*>(io.joined) + (sample * rows + row) * io.width + column, sum);
}

template <class T>
void launch(const JoinParts& io, cudaStream_t stream) {
  const int64_t threads = io.queries * io.heads * (io.width / kWidth<T>);  // per sample; below 2^32 for any video
  const dim3 grid(static_cast<unsigned>((threads + kThreads - 1) / kThreads), static_cast<unsigned>(io.batch));
  join_kernel<T><<<grid, kThreads, 0, stream>>>(io);
}

}  // namespace

const char* join_parts(const JoinParts& io, FloatType type, cudaStream_t stream) {
  if (type == FloatType::kBFloat16)
    launch<__nv_bfloat16>(io, stream);
  else
    launch<float>(io, stream);
  return launch_error();
}

int64_t processor_count(int device) {
  int count = 1;
  if (cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device) != cudaSuccess) return 1;
  return count;
}

}  // namespace sgf::cuda
