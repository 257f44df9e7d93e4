#include "sgf/kernels/rope.h"

#include "sgf/core/error.h"
#include "sgf/kernels/cpu/rope.h"
#include "sgf/kernels/cpu/row_threads.h"
#include "sgf/kernels/cuda/rope.h"
#include "sgf/kernels/cuda/row_launch.h"
#include "sgf/kernels/wide.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

namespace sgf {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

template <class T>
void fill_rotated_on_cpu(const at::Tensor& out, const at::Tensor& x, const RopeTable& table, bool backwards) {
  const cpu::Rotation<T> io{x.data_ptr<T>(),
                            table.cos.data_ptr<T>(),
                            table.sin.data_ptr<T>(),
                            out.data_ptr<T>(),
                            x.size(1),
                            x.size(2),
                            x.size(3),
                            backwards};
  over_rows(x.size(0) * x.size(1), x.size(2) * x.size(3), [&](cpu::RowRange rows) { cpu::rotate(io, rows); });
}

// All contiguous, of a kind that takes_kernel.
void fill_rotated(const at::Tensor& out, const at::Tensor& x, const RopeTable& table, bool backwards) {
  if (x.is_cpu())
    return x.scalar_type() == at::kFloat ? fill_rotated_on_cpu<float>(out, x, table, backwards)
                                         : fill_rotated_on_cpu<double>(out, x, table, backwards);
  const at::Tensor &cos = table.cos, &sin = table.sin;
  const c10::DeviceGuard guard(x.device());
  const char* refusal = cuda::rotate({x.data_ptr(), cos.data_ptr<float>(), sin.data_ptr<float>(), out.data_ptr(),
                                      x.numel(), x.size(1), x.size(2), x.size(3), backwards},
                                     float_type(x), static_cast<cudaStream_t>(current_stream(x.device())));
  SGF_CHECK(refusal == nullptr, "rotate failed to launch: {}", refusal);
}

at::Tensor rotated(const at::Tensor& x_in, const at::Tensor& cos, const at::Tensor& sin, bool backwards) {
  const at::Tensor x = x_in.contiguous(), out = at::empty_like(x);
  fill_rotated(out, x, {cos, sin}, backwards);
  return out;
}

bool takes_kernel(const at::Tensor& x, const RopeTable& table) {
  if (takes_cpu_rows(x)) return table.cos.scalar_type() == x.scalar_type();
  return takes_row_kernel(x, x.size(3));
}

void check_table(const at::Tensor& x, const RopeTable& table) {
  SGF_CHECK(
      x.dim() == 4 && table.cos.dim() == 2 && x.size(1) == table.cos.size(0) && x.size(3) == 2 * table.cos.size(1),
      "rotate expects x [B, L, N, D] and a table [L, D / 2], got {} tokens for a table of {}", x.size(1),
      table.cos.size(0));
}

// The gradient of a rotation is the reverse rotation.
struct FusedRotate : torch::autograd::Function<FusedRotate> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin) {
    ctx->save_for_backward({cos, sin});
    return rotated(x, cos, sin, /*backwards=*/false);
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    return {rotated(grads[0], saved[0], saved[1], /*backwards=*/true), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor rotate_reference(const at::Tensor& x, const RopeTable& table) {
  const at::Tensor pairs = wide(x).unflatten(-1, {-1, 2});
  const at::Tensor re = pairs.select(-1, 0), im = pairs.select(-1, 1);
  const at::Tensor cos = table.cos.unsqueeze(1), sin = table.sin.unsqueeze(1);
  const at::Tensor turned = at::stack({re * cos - im * sin, re * sin + im * cos}, -1);
  return turned.flatten(-2).to(x.scalar_type());
}

at::Tensor rotate(const at::Tensor& x, const RopeTable& table) {
  check_table(x, table);
  if (!takes_kernel(x, table)) return rotate_reference(x, table);
  if (!wants_graph(x)) return rotated(x, table.cos.contiguous(), table.sin.contiguous(), /*backwards=*/false);
  return FusedRotate::apply(x, table.cos.contiguous(), table.sin.contiguous());
}

void rotate_into(const at::Tensor& out, const at::Tensor& x, const RopeTable& table) {
  const at::NoGradGuard no_grad;
  check_table(x, table);
  SGF_CHECK(out.sizes() == x.sizes() && out.scalar_type() == x.scalar_type(),
            "rotate_into writes to a tensor like its input, got other sizes or another dtype");
  if (!takes_kernel(x, table) || !out.is_contiguous()) {
    out.copy_(rotate(x, table));
    return;
  }
  fill_rotated(out, x.contiguous(), {table.cos.contiguous(), table.sin.contiguous()}, /*backwards=*/false);
}

}  // namespace sgf
