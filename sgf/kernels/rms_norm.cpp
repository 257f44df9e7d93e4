#include "sgf/kernels/rms_norm.h"

#include "sgf/core/error.h"
#include "sgf/kernels/wide.h"

#include <ATen/ATen.h>

namespace sgf {

at::Tensor rms_norm_reference(const at::Tensor& x, const at::Tensor& weight, double eps) {
  const at::Tensor w = wide(x);
  const at::Tensor inverse = (w.square().mean(-1, /*keepdim=*/true) + eps).rsqrt();
  return (w * inverse * weight).to(x.scalar_type());
}

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps) {
  check(weight.dim() == 1 && x.size(-1) == weight.size(0), "kernels",
        "rms_norm takes a weight as wide as the last dim, got {} for {}", weight.numel(), x.size(-1));
  return rms_norm_reference(x, weight, eps);
}

}  // namespace sgf
