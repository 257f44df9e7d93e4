// The launches behind noise_fill on a CUDA device: raw pointers, no torch. A build without CUDA links no_cuda.cpp,
// which refuses. Errors are returned as text, because nvcc does not accept fmt's compile-time formats; the checked
// entry throws them.
#pragma once

#include "sgf/core/compute_dtype.h"
#include "sgf/core/noise.h"

#include <cstdint>

// As cuda_runtime_api.h declares it; named here so that callers need no CUDA headers.
typedef struct CUstream_st* cudaStream_t;

namespace sgf::cuda {

enum class NoiseDistribution { kUniform, kNormal };

// Row r of [rows, row_elements] gets the stream of sample `first.sample + r`.
struct NoiseRows {
  NoiseKey first;
  int64_t rows = 0;
  int64_t row_elements = 0;
};

// Fills contiguous `out` on the current device, asynchronously on `stream`. Returns null on success, else the reason.
[[nodiscard]] const char* fill_noise(void* out, ComputeDtype dtype, NoiseDistribution distribution,
                                     const NoiseRows& rows, cudaStream_t stream);

}  // namespace sgf::cuda
