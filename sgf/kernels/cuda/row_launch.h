// Connects tensors to the CUDA row kernels: when a kernel can be used, and how it is launched.
#pragma once

#include "sgf/core/error.h"
#include "sgf/kernels/cuda/current_stream.h"
#include "sgf/kernels/cuda/row.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>

namespace sgf {

// CUDA, float32 or bfloat16, rows that fit a block. Everything else uses the plain reference.
inline bool takes_row_kernel(const at::Tensor& x, int64_t channels) {
  if (!x.is_cuda() || (x.scalar_type() != at::kFloat && x.scalar_type() != at::kBFloat16)) return false;
  return cuda::row_fits(channels,
                        x.scalar_type() == at::kFloat ? cuda::FloatType::kFloat32 : cuda::FloatType::kBFloat16);
}

inline cuda::FloatType float_type(const at::Tensor& x) {
  return x.scalar_type() == at::kFloat ? cuda::FloatType::kFloat32 : cuda::FloatType::kBFloat16;
}

// Rows of x [B, F * L, C], grouped by frame as in `modulation` [B, F, C].
inline cuda::RowShape frame_rows(const at::Tensor& x, const at::Tensor& modulation) {
  return {modulation.size(0) * modulation.size(1), x.size(1) / modulation.size(1), x.size(2)};
}

// Modulation [B, F, C], with equal strides between frames, as rows of groups.
inline cuda::GroupRows group_rows(const at::Tensor& modulation) {
  return {modulation.data_ptr(), modulation.stride(1), modulation.scalar_type() == at::kFloat};
}

// Column sums per group: [groups, splits, C] -> [groups, C].
inline at::Tensor sum_of_parts(const at::Tensor& parts) {
  return parts.size(1) == 1 ? parts.select(1, 0) : parts.sum(1);
}

// Launches on x's device and current stream, and throws if the launch fails.
template <class Io>
void launch_rows(const char* (*kernel)(const Io&, const cuda::RowShape&, cuda::FloatType, cudaStream_t), const Io& io,
                 const cuda::RowShape& shape, const at::Tensor& x) {
  const c10::DeviceGuard guard(x.device());
  const char* refusal = kernel(io, shape, float_type(x), static_cast<cudaStream_t>(current_stream(x.device())));
  SGF_CHECK(refusal == nullptr, "a CUDA row kernel over [{}, {}, {}] failed to launch: {}", shape.groups,
            shape.rows_per_group, shape.channels, refusal);
}

// An uninitialised float32 tensor on x's device.
inline at::Tensor floats_like(const at::Tensor& x, at::IntArrayRef shape) {
  return at::empty(shape, x.options().dtype(at::kFloat));
}

}  // namespace sgf
