// Rotation of neighbouring channels; each thread rotates 16 bytes.
#include "sgf/kernels/cuda/rope.h"
#include "sgf/kernels/cuda/row_device.cuh"

namespace sgf::cuda {
namespace {

constexpr int kThreads = 256;

template <class T>
__global__ void rotate_kernel(Rotation io) {
  constexpr int N = kWidth<T>;
  const int64_t at = (int64_t{blockIdx.x} * kThreads + threadIdx.x) * N;
  if (at >= io.elements) return;
  const int64_t token = at / (io.heads * io.width) % io.tokens;
  const int64_t angle = token * (io.width / 2) + at % io.width / 2;
  const float direction = io.backwards ? -1.0f : 1.0f;
  Values<N> x = load(static_cast<const T*>(io.x) + at);
#pragma unroll
  for (int i = 0; i < N; i += 2) {
    const float cos = io.cos[angle + i / 2], sin = io.sin[angle + i / 2] * direction;
    const float re = x.v[i], im = x.v[i + 1];
    x.v[i] = re * cos - im * sin;
    x.v[i + 1] = re * sin + im * cos;
  }
  store(static_cast<T*>(io.out) + at, x);
}

template <class T>
const char* launch(const Rotation& io, cudaStream_t stream) {
  const int64_t per_block = kThreads * kWidth<T>;
  rotate_kernel<T><<<static_cast<unsigned>((io.elements + per_block - 1) / per_block), kThreads, 0, stream>>>(io);
  return launch_error();
}

}  // namespace

const char* rotate(const Rotation& io, FloatType type, cudaStream_t stream) {
  return type == FloatType::kBFloat16 ? launch<__nv_bfloat16>(io, stream) : launch<float>(io, stream);
}

}  // namespace sgf::cuda
