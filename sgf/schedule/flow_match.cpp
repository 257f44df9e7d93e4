// Conversions between noise, data and flow.
#include "sgf/schedule/flow_match.h"

#include "sgf/core/error.h"
#include "sgf/kernels/wide.h"

#include <ATen/ATen.h>

#include <cmath>

#include <algorithm>
#include <vector>

namespace sgf {
namespace {

// One weight per leading index of x, shaped to broadcast over the rest. Weights are computed in sigma's own precision.
at::Tensor over(const at::Tensor& weight, const at::Tensor& x) {
  SGF_CHECK(weight.dim() <= x.dim() && weight.sizes() == x.sizes().slice(0, weight.dim()),
            "sigma must have one value per leading index, got sigma of {} dimensions for x of {}", weight.dim(),
            x.dim());
  std::vector<int64_t> shape(x.dim(), 1);
  std::copy(weight.sizes().begin(), weight.sizes().end(), shape.begin());
  return weight.to(x.device(), x.scalar_type()).reshape(shape);
}

void check_same_shape(const at::Tensor& a, const at::Tensor& b) {
  SGF_CHECK(a.sizes() == b.sizes(), "latents must have the same shape, got {} and {} elements", a.numel(), b.numel());
}

// The table's entries at positions `index`, in float32 and float64 as in SigmaRule.
at::Tensor entry_sigmas(const SigmaRule& rule, const at::Tensor& index) {
  const auto count = static_cast<double>(rule.entries);
  const float step = -1.0F / static_cast<float>(count), shift = static_cast<float>(rule.shift);
  const at::Tensor noisy_half = (index.to(at::kFloat) * step) + 1.0;
  const at::Tensor clean_half = -((count - index).to(at::kFloat) * step);
  const at::Tensor base = at::where(index < std::floor((count + 1) / 2), noisy_half, clean_half);
  return (base * shift / (base * (shift - 1.0F) + 1.0)).to(at::kDouble);
}

}  // namespace

// The same as SigmaRule::at, element by element.
at::Tensor sigmas_at(const SigmaRule& rule, const at::Tensor& t) {
  if (rule.lookup == SigmaLookup::kExact) return t / kMaxTimestep;
  const at::Tensor exact = t / kMaxTimestep;
  const at::Tensor base = exact / (rule.shift - exact * (rule.shift - 1.0));
  const auto last = static_cast<double>(rule.entries - 1);
  const at::Tensor first = ((1.0 - base) * static_cast<double>(rule.entries)).floor().clamp(0.0, last);
  const at::Tensor above = entry_sigmas(rule, first);
  const at::Tensor below = entry_sigmas(rule, (first + 1.0).clamp_max(last));
  return at::where(above * kMaxTimestep - t <= t - below * kMaxTimestep, above, below);
}

at::Tensor add_noise(const at::Tensor& x0, const at::Tensor& noise, const at::Tensor& sigma) {
  check_same_shape(x0, noise);
  const at::Tensor clean = wide(x0);
  return over(1.0 - sigma, clean) * clean + over(sigma, clean) * wide(noise);
}

at::Tensor add_noise(const at::Tensor& x0, const at::Tensor& noise, double sigma) {
  check_same_shape(x0, noise);
  return (1.0 - sigma) * wide(x0) + sigma * wide(noise);
}

at::Tensor x0_from_flow(const at::Tensor& x_t, const at::Tensor& flow, const at::Tensor& sigma) {
  check_same_shape(x_t, flow);
  const at::Tensor noisy = wide(x_t);
  return noisy - over(sigma, noisy) * wide(flow);
}

at::Tensor x0_from_flow(const at::Tensor& x_t, const at::Tensor& flow, double sigma) {
  check_same_shape(x_t, flow);
  return wide(x_t) - sigma * wide(flow);
}

at::Tensor flow_target(const at::Tensor& x0, const at::Tensor& noise) {
  check_same_shape(x0, noise);
  return wide(noise) - wide(x0);
}

}  // namespace sgf
