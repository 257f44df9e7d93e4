// Noise on the device: one thread draws four elements. Each thread derives the stream itself (ten rounds, no memory),
// so a batch of samples is one launch.
#include "sgf/kernels/cuda/noise_fill.h"

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <algorithm>

namespace sgf::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int64_t kMaxBlocksInX = 1 << 16;  // a loop covers the rest
constexpr int64_t kMaxBlocksInY = 65535;    // the hardware's limit on grid.y

__device__ void store(double* out, float value) { *out = value; }
__device__ void store(float* out, float value) { *out = value; }
__device__ void store(__nv_bfloat16* out, float value) { *out = __float2bfloat16_rn(value); }

template <NoiseDistribution distribution>
__device__ FloatQuad draw(const NoiseStream& stream, uint64_t index) {
  const PhiloxBlock words = stream.words(index);
  return distribution == NoiseDistribution::kNormal ? normals_of(words) : uniforms_of(words);
}

// out: [rows, row_elements]; grid.y walks rows, grid.x the quads of a row.
template <class Value, NoiseDistribution distribution>
__global__ void fill_kernel(Value* out, NoiseRows rows) {
  const int64_t quads = (rows.row_elements + 3) / 4;
  for (int64_t row = blockIdx.y; row < rows.rows; row += gridDim.y) {
    NoiseKey key = rows.first;
    key.sample += row;
    const NoiseStream stream(key);
    Value* row_out = out + row * rows.row_elements;
    const int64_t stride = int64_t{gridDim.x} * blockDim.x;
    for (int64_t quad = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; quad < quads; quad += stride) {
      const FloatQuad values = draw<distribution>(stream, static_cast<uint64_t>(quad));
      for (int i = 0; i < 4 && quad * 4 + i < rows.row_elements; ++i) store(row_out + quad * 4 + i, values.value[i]);
    }
  }
}

template <class Value, NoiseDistribution distribution>
const char* launch(void* out, const NoiseRows& rows, cudaStream_t stream) {
  const int64_t quads = (rows.row_elements + 3) / 4;
  const dim3 grid(static_cast<unsigned>(std::min((quads + kThreads - 1) / kThreads, kMaxBlocksInX)),
                  static_cast<unsigned>(std::min(rows.rows, kMaxBlocksInY)));
  fill_kernel<Value, distribution><<<grid, kThreads, 0, stream>>>(static_cast<Value*>(out), rows);
  const cudaError_t status = cudaGetLastError();
  return status == cudaSuccess ? nullptr : cudaGetErrorString(status);
}

template <class Value>
const char* launch(void* out, NoiseDistribution distribution, const NoiseRows& rows, cudaStream_t stream) {
  if (distribution == NoiseDistribution::kNormal) return launch<Value, NoiseDistribution::kNormal>(out, rows, stream);
  return launch<Value, NoiseDistribution::kUniform>(out, rows, stream);
}

}  // namespace

const char* fill_noise(void* out, ComputeDtype dtype, NoiseDistribution distribution, const NoiseRows& rows,
                       cudaStream_t stream) {
  if (rows.rows == 0 || rows.row_elements == 0) return nullptr;  // an empty grid is a launch error
  switch (dtype) {
    case ComputeDtype::kFloat64:
      return launch<double>(out, distribution, rows, stream);
    case ComputeDtype::kFloat32:
      return launch<float>(out, distribution, rows, stream);
    case ComputeDtype::kBFloat16:
      return launch<__nv_bfloat16>(out, distribution, rows, stream);
  }
  return "unknown dtype";
}

}  // namespace sgf::cuda
