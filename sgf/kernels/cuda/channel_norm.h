// The launch behind channel_norm on a CUDA device. Returns null on success, else the reason.
#pragma once

#include "sgf/kernels/cuda/row.h"

namespace sgf::cuda {

struct ChannelNormForward {
  const void* x;         // [groups, rows_per_group, C]: channels last
  const float* bias;     // [C] or null
  const void* residual;  // as x, or null
  const float* gamma;    // [C]
  void* sum;             // as x, or null: receives x + bias + residual
  void* out;             // rows as in x, or null: receives the norm
  int64_t out_stride;    // elements from one group of `out` to the next
  bool silu;
};

// A row is handled by part of a warp, with at most eight vectors per lane.
inline bool channel_row_fits(int64_t channels, FloatType type) {
  return channels % vector_width(type) == 0 && channels / vector_width(type) <= 256;
}

[[nodiscard]] const char* channel_norm(const ChannelNormForward& io, const RowShape& shape, FloatType type,
                                       cudaStream_t stream);

}  // namespace sgf::cuda
