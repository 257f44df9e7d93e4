#include "sgf/kernels/cpu/gated_residual.h"

namespace sgf::cpu {
namespace {

template <class T>
SGF_BODY void forward(const GatedResidualForward<T>& io, const RowShape& shape, RowRange groups) {
  for (int64_t g = groups.begin; g < groups.end; ++g) {
    const T* gate = io.gate + g * io.gate_stride;
    for (int64_t row = g * shape.rows_per_group; row < (g + 1) * shape.rows_per_group; ++row) {
      const T *x = io.x + row * shape.channels, *y = io.y + row * shape.channels;
      T* out = io.out + row * shape.channels;
#pragma omp simd
      for (int64_t c = 0; c < shape.channels; ++c) out[c] = x[c] + y[c] * gate[c];
    }
  }
}

template <class T>
SGF_BODY void backward(const GatedResidualBackward<T>& io, const RowShape& shape, RowRange groups) {
  for (int64_t g = groups.begin; g < groups.end; ++g) {
    const T* gate = io.gate + g * io.gate_stride;
    T* grad_gate = io.grad_gate + g * shape.channels;
    for (int64_t c = 0; c < shape.channels; ++c) grad_gate[c] = 0;
    for (int64_t row = g * shape.rows_per_group; row < (g + 1) * shape.rows_per_group; ++row) {
      const T *grad = io.grad + row * shape.channels, *y = io.y + row * shape.channels;
      T* grad_y = io.grad_y + row * shape.channels;
#pragma omp simd
      for (int64_t c = 0; c < shape.channels; ++c) {
        grad_y[c] = grad[c] * gate[c];
        grad_gate[c] += grad[c] * y[c];
      }
    }
  }
}

}  // namespace

SGF_EVERY_X86 void gated_residual(const GatedResidualForward<float>& io, const RowShape& shape, RowRange groups) {
  forward(io, shape, groups);
}
SGF_EVERY_X86 void gated_residual(const GatedResidualForward<double>& io, const RowShape& shape, RowRange groups) {
  forward(io, shape, groups);
}
SGF_EVERY_X86 void gated_residual(const GatedResidualBackward<float>& io, const RowShape& shape, RowRange groups) {
  backward(io, shape, groups);
}
SGF_EVERY_X86 void gated_residual(const GatedResidualBackward<double>& io, const RowShape& shape, RowRange groups) {
  backward(io, shape, groups);
}

}  // namespace sgf::cpu
