#include "sgf/kernels/gated_residual.h"

#include "sgf/core/error.h"
#include "sgf/kernels/gated_residual_cuda.h"
#include "sgf/kernels/row_launch.h"
#include "sgf/kernels/wide.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

namespace sgf {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct FusedGatedResidual : torch::autograd::Function<FusedGatedResidual> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x_in, const at::Tensor& y_in,
                            const at::Tensor& gate_in) {
    const at::Tensor x = x_in.contiguous(), y = y_in.contiguous(), gate = gate_in.contiguous();
    const at::Tensor out = at::empty_like(x);
    launch_rows<cuda::GatedResidualForward>(cuda::gated_residual,
                                            {x.data_ptr(), y.data_ptr(), gate.data_ptr<float>(), out.data_ptr()},
                                            frame_rows(y, gate), y);
    ctx->save_for_backward({y, gate});
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor &y = saved[0], &gate = saved[1], grad = grads[0].contiguous(), grad_y = at::empty_like(y);
    const cuda::RowShape shape = frame_rows(y, gate);
    const at::Tensor parts = floats_like(y, {shape.groups, cuda::row_splits(shape), shape.channels});
    launch_rows<cuda::GatedResidualBackward>(
        cuda::gated_residual,
        {grad.data_ptr(), y.data_ptr(), gate.data_ptr<float>(), grad_y.data_ptr(), parts.data_ptr<float>()}, shape, y);
    return {grad, grad_y, parts.sum(1).view(gate.sizes())};
  }
};

}  // namespace

at::Tensor gated_residual_reference(const at::Tensor& x, const at::Tensor& y, const at::Tensor& gate) {
  const at::Tensor frames = wide(y).unflatten(1, {gate.size(1), -1}) * gate.unsqueeze(2);
  return (wide(x) + frames.flatten(1, 2)).to(x.scalar_type());
}

at::Tensor gated_residual(const at::Tensor& x, const at::Tensor& y, const at::Tensor& gate) {
  check(x.dim() == 3 && x.sizes() == y.sizes() && gate.dim() == 3 && x.size(1) % gate.size(1) == 0, "kernels",
        "gated_residual takes x and y [B, F * L, C] and gate [B, F, C], got {} tokens for {} frames", x.size(1),
        gate.size(1));
  if (!takes_row_kernel(y, y.size(2))) return gated_residual_reference(x, y, gate);
  return FusedGatedResidual::apply(x, y, gate);
}

}  // namespace sgf
