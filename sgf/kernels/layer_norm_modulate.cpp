#include "sgf/kernels/layer_norm_modulate.h"

#include "sgf/core/error.h"
#include "sgf/kernels/wide.h"

#include <ATen/ATen.h>

namespace sgf {

at::Tensor layer_norm_modulate_reference(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale,
                                         double eps) {
  const at::Tensor normed = at::layer_norm(wide(x), {x.size(-1)}, {}, {}, eps);
  const at::Tensor frames = normed.unflatten(1, {shift.size(1), -1});
  const at::Tensor out = frames * (scale.unsqueeze(2) + 1) + shift.unsqueeze(2);
  return out.flatten(1, 2).to(x.scalar_type());
}

at::Tensor layer_norm_modulate(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale, double eps) {
  check(x.dim() == 3 && shift.dim() == 3 && shift.sizes() == scale.sizes() && x.size(1) % shift.size(1) == 0, "kernels",
        "layer_norm_modulate takes x [B, F * L, C] and shift, scale [B, F, C], got {} tokens for {} frames", x.size(1),
        shift.size(1));
  return layer_norm_modulate_reference(x, shift, scale, eps);
}

}  // namespace sgf
