#include "sgf/kernels/cpu/gelu_tanh.h"

#include <bit>

namespace sgf::cpu {
namespace {

constexpr float kSlope = 1.5957691216057308f;  // 2 sqrt(2 / pi)
constexpr float kCubic = 0.044715f;

// exp to about one unit in the last place (Cephes' polynomial), without a function call, so that the loop vectorises.
SGF_BODY float exp_of(float x) {
  x = x < -87.0f ? -87.0f : (x > 88.0f ? 88.0f : x);
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  const float n = (x * 1.44269504088896341f + kRound) - kRound;
  const float r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  return p * std::bit_cast<float>((static_cast<int32_t>(n) + 127) << 23);
}

// (1 + tanh(u)) / 2 = 1 / (1 + exp(-2 u)): no cancellation if x is far below zero, and 0 if exp would overflow.
SGF_BODY float gate_of(float x) {
  const float minus_2u = -kSlope * x * (1.0f + kCubic * x * x);
  const float gate = 1.0f / (1.0f + exp_of(minus_2u));
  return minus_2u > 88.0f ? 0.0f : gate;
}

}  // namespace

SGF_EVERY_X86 void gelu_tanh(const GeluTanhForward& io, RowRange elements) {
  const float* x = io.x;
  float* out = io.out;
#pragma omp simd
  for (int64_t i = elements.begin; i < elements.end; ++i) out[i] = x[i] * gate_of(x[i]);
}

SGF_EVERY_X86 void gelu_tanh(const GeluTanhBackward& io, RowRange elements) {
  const float *x = io.x, *grad = io.grad;
  float* grad_x = io.grad_x;
#pragma omp simd
  for (int64_t i = elements.begin; i < elements.end; ++i) {
    const float gate = gate_of(x[i]);
    const float square =
        x[i] * x[i] < 1e8f ? x[i] * x[i] : 1e8f;  // beyond this the gate is 0 or 1; avoids 0 * infinity
    const float slope = kSlope * (1.0f + 3.0f * kCubic * square);
    grad_x[i] = grad[i] * (gate + x[i] * gate * (1.0f - gate) * slope);
  }
}

}  // namespace sgf::cpu
