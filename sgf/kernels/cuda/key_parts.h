// Launches behind key_parts on a CUDA device. Return null on success, else the reason.
#pragma once

#include "sgf/kernels/cuda/row.h"

namespace sgf::cuda {

struct JoinParts {
  const void* out;   // [batch, parts, queries, heads, width]
  const float* lse;  // [batch, parts, heads, queries]
  void* joined;      // [batch, queries, heads, width]
  int64_t batch, parts, queries, heads, width;
};

[[nodiscard]] const char* join_parts(const JoinParts& io, FloatType type, cudaStream_t stream);

int64_t processor_count(int device);  // streaming multiprocessors; 1 if there is no such device

}  // namespace sgf::cuda
