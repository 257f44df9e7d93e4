// Connects tensors to the CPU row kernels: when a kernel can be used, how work is split over threads, and when a graph
// is needed.
#pragma once

#include "sgf/kernels/cpu/row.h"

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

namespace sgf {

// CPU tensors of float32 or float64. 16-bit tensors use the plain reference.
inline bool takes_cpu_rows(const at::Tensor& x) {
  return x.is_cpu() && (x.scalar_type() == at::kFloat || x.scalar_type() == at::kDouble);
}

// Without a graph the kernel is called directly: the bookkeeping costs as much as a small kernel.
template <class... Tensors>
bool wants_graph(const Tensors&... tensors) {
  return at::GradMode::is_enabled() && (tensors.requires_grad() || ...);
}

// Calls work(range) over [0, count) on as many threads as are worthwhile at `elements_each` elements per item.
template <class Work>
void over_rows(int64_t count, int64_t elements_each, const Work& work) {
  constexpr int64_t kElementsPerThread = 1 << 15;
  at::parallel_for(0, count, std::max<int64_t>(1, kElementsPerThread / std::max<int64_t>(1, elements_each)),
                   [&](int64_t begin, int64_t end) {
                     work(cpu::RowRange{begin, end});
                   });
}

// Modulation [B, F, C] with equal strides between frames; copied if needed. Slices of [B, F, 6, C] need no copy.
inline at::Tensor evenly_spaced(const at::Tensor& rows) {
  const bool even = rows.stride(2) == 1 && (rows.size(0) == 1 || rows.stride(0) == rows.size(1) * rows.stride(1));
  return even ? rows : rows.contiguous();
}

inline cpu::RowShape frames_of(const at::Tensor& x, const at::Tensor& modulation) {
  return {modulation.size(0) * modulation.size(1), x.size(1) / modulation.size(1), x.size(2)};
}

}  // namespace sgf
