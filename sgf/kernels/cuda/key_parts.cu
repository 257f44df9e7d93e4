// Merges the parts into one softmax in a single pass; each thread joins 16 bytes of a head.
#include "sgf/kernels/cuda/key_parts.h"
#include "sgf/kernels/cuda/row_device.cuh"

namespace sgf::cuda {
namespace {

constexpr int kThreads = 256;

template <class T>
__global__ void join_kernel(JoinParts io) {
  constexpr int N = kWidth<T>;
  const int64_t chunks = io.width / N, rows = io.queries * io.heads;
  const int64_t index = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (index >= io.batch * rows * chunks) return;
  const int64_t column = index % chunks * N, row = index / chunks % rows, sample = index / chunks / rows;
  const int64_t query = row / io.heads, head = row % io.heads;
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
  const int64_t threads = io.batch * io.queries * io.heads * (io.width / kWidth<T>);
  join_kernel<T><<<static_cast<unsigned>((threads + kThreads - 1) / kThreads), kThreads, 0, stream>>>(io);
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
