#include "sgf/kernels/rope.h"

#include "sgf/core/error.h"
#include "sgf/kernels/wide.h"

#include <ATen/ATen.h>

namespace sgf {

at::Tensor rotate_reference(const at::Tensor& x, const RopeTable& table) {
  const at::Tensor pairs = wide(x).unflatten(-1, {-1, 2});
  const at::Tensor re = pairs.select(-1, 0), im = pairs.select(-1, 1);
  const at::Tensor cos = table.cos.unsqueeze(1), sin = table.sin.unsqueeze(1);
  const at::Tensor turned = at::stack({re * cos - im * sin, re * sin + im * cos}, -1);
  return turned.flatten(-2).to(x.scalar_type());
}

at::Tensor rotate(const at::Tensor& x, const RopeTable& table) {
  check(x.dim() == 4 && table.cos.dim() == 2 && x.size(1) == table.cos.size(0) && x.size(3) == 2 * table.cos.size(1),
        "kernels", "rotate takes x [B, L, N, D] and a table [L, D / 2], got {} tokens for a table of {}", x.size(1),
        table.cos.size(0));
  return rotate_reference(x, table);
}

}  // namespace sgf
