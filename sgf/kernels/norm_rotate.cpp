#include "sgf/kernels/norm_rotate.h"

#include "sgf/core/error.h"
#include "sgf/kernels/cpu/row_threads.h"
#include "sgf/kernels/cuda/norm_rotate.h"
#include "sgf/kernels/cuda/row_launch.h"
#include "sgf/kernels/rms_norm.h"

#include <ATen/ATen.h>

namespace sgf {
namespace {

// Rows are equally spaced and their elements are contiguous.
bool has_even_rows(const at::Tensor& x) {
  return x.stride(2) == 1 && (x.size(0) == 1 || x.stride(0) == x.size(1) * x.stride(1));
}

bool takes_kernel(const at::Tensor& x, const at::Tensor& weight, int64_t heads, const std::optional<RopeTable>& table) {
  if (!takes_row_kernel(x, x.size(2)) || weight.scalar_type() != x.scalar_type() || wants_graph(x, weight))
    return false;
  const int64_t vector = cuda::vector_width(float_type(x));
  const bool is_whole = x.size(2) % heads == 0 && x.size(2) / heads % vector == 0 && x.stride(1) % vector == 0;
  return has_even_rows(x) && is_whole && (!table || table->cos.scalar_type() == at::kFloat);
}

}  // namespace

at::Tensor norm_rotate_reference(const at::Tensor& x, const at::Tensor& weight, double eps, int64_t heads,
                                 const std::optional<RopeTable>& table) {
  const at::Tensor normed = rms_norm(x, weight, eps).unflatten(-1, {heads, -1});
  return table ? rotate(normed, *table) : normed;
}

at::Tensor norm_rotate(const at::Tensor& x, const at::Tensor& weight, double eps, int64_t heads,
                       const std::optional<RopeTable>& table) {
  SGF_CHECK(x.dim() == 3 && weight.dim() == 1 && x.size(2) == weight.size(0),
            "norm_rotate takes x [B, L, C] and a weight [C], got {} dims and {} weights", x.dim(), weight.numel());
  if (!takes_kernel(x, weight, heads, table)) return norm_rotate_reference(x, weight, eps, heads, table);
  const at::Tensor w = weight.contiguous();
  const at::Tensor out = at::empty({x.size(0), x.size(1), heads, x.size(2) / heads}, x.options());
  const RopeTable rope = table ? RopeTable{table->cos.contiguous(), table->sin.contiguous()} : RopeTable{};
  SGF_CHECK(!table || (rope.cos.size(0) == x.size(1) && 2 * rope.cos.size(1) == out.size(3)),
            "norm_rotate takes a table [L, D / 2], got {} tokens for {}", table ? rope.cos.size(0) : 0, x.size(1));
  launch_rows<cuda::NormRotate>(
      cuda::norm_rotate,
      {x.data_ptr(), x.stride(1), w.data_ptr(), static_cast<float>(eps), table ? rope.cos.data_ptr<float>() : nullptr,
       table ? rope.sin.data_ptr<float>() : nullptr, out.data_ptr(), x.size(1), out.size(3)},
      {1, x.size(0) * x.size(1), x.size(2)}, x);
  return out;
}

}  // namespace sgf
