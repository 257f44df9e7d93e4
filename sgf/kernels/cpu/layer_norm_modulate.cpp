#include "sgf/kernels/cpu/layer_norm_modulate.h"

#include <cmath>

namespace sgf::cpu {
namespace {

template <class T>
SGF_BODY void forward_row(const T* x, const T* shift, const T* scale, T eps, int64_t channels, T* out, T& mean,
                          T& inverse) {
  T sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t c = 0; c < channels; ++c) sum += x[c];
  const T m = sum / static_cast<T>(channels);
#pragma omp simd reduction(+ : squares)
  for (int64_t c = 0; c < channels; ++c) squares += (x[c] - m) * (x[c] - m);
  const T inv = T(1) / std::sqrt(squares / static_cast<T>(channels) + eps);
#pragma omp simd
  for (int64_t c = 0; c < channels; ++c) out[c] = (x[c] - m) * inv * (scale[c] + T(1)) + shift[c];
  mean = m;
  inverse = inv;
}

template <class T>
SGF_BODY void forward(const LayerNormModulateForward<T>& io, const RowShape& shape, RowRange groups) {
  for (int64_t g = groups.begin; g < groups.end; ++g)
    for (int64_t row = g * shape.rows_per_group; row < (g + 1) * shape.rows_per_group; ++row)
      forward_row(io.x + row * shape.channels, io.shift + g * io.shift_stride, io.scale + g * io.scale_stride, io.eps,
                  shape.channels, io.out + row * shape.channels, io.mean[row], io.inverse[row]);
}

// y = n * (1 + scale) + shift with n = (x - mean) * inverse: the gradient of x loses its mean and its component along
// n.
template <class T>
SGF_BODY void backward_row(const T* grad, const T* x, const T* scale, T mean, T inverse, int64_t channels, T* grad_x,
                           T* grad_shift, T* grad_scale) {
  T sum = 0, along = 0;
#pragma omp simd reduction(+ : sum, along)
  for (int64_t c = 0; c < channels; ++c) {
    const T g = grad[c] * (scale[c] + T(1));
    sum += g;
    along += g * ((x[c] - mean) * inverse);
  }
  const T mean_g = sum / static_cast<T>(channels), mean_along = along / static_cast<T>(channels);
#pragma omp simd
  for (int64_t c = 0; c < channels; ++c) {
    const T n = (x[c] - mean) * inverse;
    grad_x[c] = inverse * (grad[c] * (scale[c] + T(1)) - mean_g - n * mean_along);
    grad_shift[c] += grad[c];
    grad_scale[c] += grad[c] * n;
  }
}

template <class T>
SGF_BODY void backward(const LayerNormModulateBackward<T>& io, const RowShape& shape, RowRange groups) {
  for (int64_t g = groups.begin; g < groups.end; ++g) {
    T *shift = io.grad_shift + g * shape.channels, *scale = io.grad_scale + g * shape.channels;
    for (int64_t c = 0; c < shape.channels; ++c) shift[c] = scale[c] = 0;
    for (int64_t row = g * shape.rows_per_group; row < (g + 1) * shape.rows_per_group; ++row)
      backward_row(io.grad + row * shape.channels, io.x + row * shape.channels, io.scale + g * io.scale_stride,
                   io.mean[row], io.inverse[row], shape.channels, io.grad_x + row * shape.channels, shift, scale);
  }
}

}  // namespace

SGF_EVERY_X86 void layer_norm_modulate(const LayerNormModulateForward<float>& io, const RowShape& shape,
                                       RowRange groups) {
  forward(io, shape, groups);
}
SGF_EVERY_X86 void layer_norm_modulate(const LayerNormModulateForward<double>& io, const RowShape& shape,
                                       RowRange groups) {
  forward(io, shape, groups);
}
SGF_EVERY_X86 void layer_norm_modulate(const LayerNormModulateBackward<float>& io, const RowShape& shape,
                                       RowRange groups) {
  backward(io, shape, groups);
}
SGF_EVERY_X86 void layer_norm_modulate(const LayerNormModulateBackward<double>& io, const RowShape& shape,
                                       RowRange groups) {
  backward(io, shape, groups);
}

}  // namespace sgf::cpu
