#include "sgf/kernels/gated_residual.h"

#include "sgf/core/error.h"
#include "sgf/kernels/wide.h"

#include <ATen/ATen.h>

namespace sgf {

at::Tensor gated_residual_reference(const at::Tensor& x, const at::Tensor& y, const at::Tensor& gate) {
  const at::Tensor frames = wide(y).unflatten(1, {gate.size(1), -1}) * gate.unsqueeze(2);
  return (wide(x) + frames.flatten(1, 2)).to(x.scalar_type());
}

at::Tensor gated_residual(const at::Tensor& x, const at::Tensor& y, const at::Tensor& gate) {
  check(x.sizes() == y.sizes() && gate.dim() == 3 && x.size(1) % gate.size(1) == 0, "kernels",
        "gated_residual takes x and y [B, F * L, C] and gate [B, F, C], got {} tokens for {} frames", x.size(1),
        gate.size(1));
  return gated_residual_reference(x, y, gate);
}

}  // namespace sgf
