#include "sgf/kernels/cpu/rms_norm.h"

#include <algorithm>
#include <cmath>

namespace sgf::cpu {
namespace {

template <class T>
SGF_BODY void forward(const RmsNormForward<T>& io, const RowShape& shape, int64_t rows, RowRange groups) {
  const int64_t last = std::min(groups.end * shape.rows_per_group, rows), channels = shape.channels;
  for (int64_t row = groups.begin * shape.rows_per_group; row < last; ++row) {
    const T *x = io.x + row * channels, *weight = io.weight;
    T* out = io.out + row * channels;
    T squares = 0;
#pragma omp simd reduction(+ : squares)
    for (int64_t c = 0; c < channels; ++c) squares += x[c] * x[c];
    const T inverse = T(1) / std::sqrt(squares / static_cast<T>(channels) + io.eps);
#pragma omp simd
    for (int64_t c = 0; c < channels; ++c) out[c] = x[c] * inverse * weight[c];
    io.inverse[row] = inverse;
  }
}

// y = n * weight with n = x * inverse: the gradient of x loses its component along n.
template <class T>
SGF_BODY void backward(const RmsNormBackward<T>& io, const RowShape& shape, int64_t rows, RowRange groups) {
  const int64_t channels = shape.channels;
  for (int64_t g = groups.begin; g < groups.end; ++g) {
    T* weight_part = io.weight_parts + g * channels;
    for (int64_t c = 0; c < channels; ++c) weight_part[c] = 0;
    const int64_t last = std::min((g + 1) * shape.rows_per_group, rows);
    for (int64_t row = g * shape.rows_per_group; row < last; ++row) {
      const T *grad = io.grad + row * channels, *x = io.x + row * channels, *weight = io.weight;
      T* grad_x = io.grad_x + row * channels;
      const T inverse = io.inverse[row];
      T along = 0;
#pragma omp simd reduction(+ : along)
      for (int64_t c = 0; c < channels; ++c) along += grad[c] * weight[c] * x[c];
      const T share = along * inverse * inverse / static_cast<T>(channels);
#pragma omp simd
      for (int64_t c = 0; c < channels; ++c) {
        grad_x[c] = inverse * (grad[c] * weight[c] - x[c] * share);
        weight_part[c] += grad[c] * x[c] * inverse;
      }
    }
  }
}

}  // namespace

SGF_EVERY_X86 void rms_norm(const RmsNormForward<float>& io, const RowShape& shape, int64_t rows, RowRange groups) {
  forward(io, shape, rows, groups);
}
SGF_EVERY_X86 void rms_norm(const RmsNormForward<double>& io, const RowShape& shape, int64_t rows, RowRange groups) {
  forward(io, shape, rows, groups);
}
SGF_EVERY_X86 void rms_norm(const RmsNormBackward<float>& io, const RowShape& shape, int64_t rows, RowRange groups) {
  backward(io, shape, rows, groups);
}
SGF_EVERY_X86 void rms_norm(const RmsNormBackward<double>& io, const RowShape& shape, int64_t rows, RowRange groups) {
  backward(io, shape, rows, groups);
}

}  // namespace sgf::cpu
