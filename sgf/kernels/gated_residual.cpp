#include "sgf/kernels/gated_residual.h"

#include "sgf/core/error.h"
#include "sgf/kernels/cpu/gated_residual.h"
#include "sgf/kernels/cpu/row_threads.h"
#include "sgf/kernels/cuda/gated_residual.h"
#include "sgf/kernels/cuda/row_launch.h"
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
    const at::Tensor x = x_in.contiguous(), y = y_in.contiguous(), gate = evenly_spaced(gate_in);
    const at::Tensor out = at::empty_like(x);
    launch_rows<cuda::GatedResidualForward>(
        cuda::gated_residual, {x.data_ptr(), y.data_ptr(), group_rows(gate), out.data_ptr()}, frame_rows(y, gate), y);
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
        {grad.data_ptr(), y.data_ptr(), group_rows(gate), grad_y.data_ptr(), parts.data_ptr<float>()}, shape, y);
    return {grad, grad_y, sum_of_parts(parts).view(gate.sizes())};
  }
};

template <class T>
at::Tensor gate_on_cpu(const at::Tensor& x, const at::Tensor& y, const at::Tensor& gate) {
  const cpu::RowShape shape = frames_of(y, gate);
  const at::Tensor out = at::empty_like(x);
  const cpu::GatedResidualForward<T> io{x.data_ptr<T>(), y.data_ptr<T>(), gate.data_ptr<T>(), gate.stride(1),
                                        out.data_ptr<T>()};
  over_rows(shape.groups, shape.rows_per_group * shape.channels,
            [&](cpu::RowRange groups) { cpu::gated_residual(io, shape, groups); });
  return out;
}

at::Tensor gate_rows(const at::Tensor& x, const at::Tensor& y, const at::Tensor& gate) {
  return x.scalar_type() == at::kFloat ? gate_on_cpu<float>(x, y, gate) : gate_on_cpu<double>(x, y, gate);
}

template <class T>
variable_list gate_backward_on_cpu(const at::Tensor& grad, const at::Tensor& y, const at::Tensor& gate) {
  const cpu::RowShape shape = frames_of(y, gate);
  const at::Tensor grad_y = at::empty_like(y), grad_gate = at::empty(gate.sizes(), gate.options());
  const cpu::GatedResidualBackward<T> io{grad.data_ptr<T>(), y.data_ptr<T>(),      gate.data_ptr<T>(),
                                         gate.stride(1),     grad_y.data_ptr<T>(), grad_gate.data_ptr<T>()};
  over_rows(shape.groups, shape.rows_per_group * shape.channels,
            [&](cpu::RowRange groups) { cpu::gated_residual(io, shape, groups); });
  return {grad, grad_y, grad_gate};
}

struct CpuGatedResidual : torch::autograd::Function<CpuGatedResidual> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const at::Tensor& y, const at::Tensor& gate) {
    ctx->save_for_backward({y, gate});
    return gate_rows(x, y, gate);
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor grad = grads[0].contiguous();
    return grad.scalar_type() == at::kFloat ? gate_backward_on_cpu<float>(grad, saved[0], saved[1])
                                            : gate_backward_on_cpu<double>(grad, saved[0], saved[1]);
  }
};

at::Tensor gated_residual_on_cpu(const at::Tensor& x_in, const at::Tensor& y_in, const at::Tensor& gate_in) {
  const at::Tensor x = x_in.contiguous(), y = y_in.contiguous(), gate = evenly_spaced(gate_in);
  return wants_graph(x, y, gate) ? CpuGatedResidual::apply(x, y, gate) : gate_rows(x, y, gate);
}

}  // namespace

at::Tensor gated_residual_reference(const at::Tensor& x, const at::Tensor& y, const at::Tensor& gate) {
  const at::Tensor frames = wide(y).unflatten(1, {gate.size(1), -1}) * gate.unsqueeze(2);
  return (wide(x) + frames.flatten(1, 2)).to(x.scalar_type());
}

at::Tensor gated_residual(const at::Tensor& x, const at::Tensor& y, const at::Tensor& gate) {
  SGF_CHECK(x.dim() == 3 && x.sizes() == y.sizes() && gate.dim() == 3 && x.size(1) % gate.size(1) == 0,
            "gated_residual expects x and y [B, F * L, C] and gate [B, F, C], got {} tokens for {} frames", x.size(1),
            gate.size(1));
  if (takes_cpu_rows(x) && y.scalar_type() == x.scalar_type() && gate.scalar_type() == x.scalar_type())
    return gated_residual_on_cpu(x, y, gate);
  if (!takes_row_kernel(y, y.size(2))) return gated_residual_reference(x, y, gate);
  return FusedGatedResidual::apply(x, y, gate);
}

}  // namespace sgf
