// The launch behind channel_norm on a CUDA device. Null when launched, else the reason.
#pragma once

#include "sgf/kernels/cuda/row.h"

namespace sgf::cuda {

struct ChannelNormForward {
  const void* x;         // [groups, rows_per_group, C]: channels last
  const float* bias;     // [C] or null
  const void* residual;  // as x, or null
  const float* gamma;    // [C]
  void* sum;             // as x, or null: where x + bias + residual goes
  void* out;             // rows as in x, or null: where the norm goes
  int64_t out_stride;    // elements from one group of `out` to the next
  bool silu;
};

// A row is dealt to part of a warp, eight vectors a lane at most.
inline bool channel_row_fits(int64_t channels, FloatType type) {
  return channels % vector_width(type) == 0 && channels / vector_width(type) <= 256;
}

[[nodiscard]] const char* channel_norm(const ChannelNormForward& io, const RowShape& shape, FloatType type,
                                       cudaStream_t stream);

}  // namespace sgf::cuda
