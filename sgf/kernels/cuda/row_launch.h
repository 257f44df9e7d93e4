// From tensors to the row kernels: when one can be used, and the launch's surroundings.
#pragma once

#include "sgf/core/error.h"
#include "sgf/kernels/cuda/current_stream.h"
#include "sgf/kernels/cuda/row.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>

namespace sgf {

// CUDA, float32 or bfloat16, rows that a block can hold. Everything else takes the plain twin.
inline bool takes_row_kernel(const at::Tensor& x, int64_t channels) {
  if (!x.is_cuda() || (x.scalar_type() != at::kFloat && x.scalar_type() != at::kBFloat16)) return false;
  return cuda::row_fits(channels,
                        x.scalar_type() == at::kFloat ? cuda::FloatType::kFloat32 : cuda::FloatType::kBFloat16);
}

inline cuda::FloatType float_type(const at::Tensor& x) {
  return x.scalar_type() == at::kFloat ? cuda::FloatType::kFloat32 : cuda::FloatType::kBFloat16;
}

// Rows of x [B, F * L, C], in groups of a frame, as `modulation` [B, F, C] has them.
inline cuda::RowShape frame_rows(const at::Tensor& x, const at::Tensor& modulation) {
  return {modulation.size(0) * modulation.size(1), x.size(1) / modulation.size(1), x.size(2)};
}

// Modulation [B, F, C], whose frames lie at one distance from each other, as rows of groups.
inline cuda::GroupRows group_rows(const at::Tensor& modulation) {
  return {modulation.data_ptr(), modulation.stride(1), modulation.scalar_type() == at::kFloat};
}

// Column sums by group: [groups, splits, C] -> [groups, C].
inline at::Tensor sum_of_parts(const at::Tensor& parts) {
  return parts.size(1) == 1 ? parts.select(1, 0) : parts.sum(1);
}

// Launches on x's device and current stream, and throws what the launch reports.
template <class Io>
void launch_rows(const char* (*kernel)(const Io&, const cuda::RowShape&, cuda::FloatType, cudaStream_t), const Io& io,
                 const cuda::RowShape& shape, const at::Tensor& x) {
  const c10::DeviceGuard guard(x.device());
  const char* refusal = kernel(io, shape, float_type(x), static_cast<cudaStream_t>(current_stream(x.device())));
  SGF_CHECK(refusal == nullptr, "a row kernel over [{}, {}, {}] did not start: {}", shape.groups, shape.rows_per_group,
            shape.channels, refusal == nullptr ? "" : refusal);
}

// An uninitialised float32 tensor on x's device.
inline at::Tensor floats_like(const at::Tensor& x, at::IntArrayRef shape) {
  return at::empty(shape, x.options().dtype(at::kFloat));
}

}  // namespace sgf
