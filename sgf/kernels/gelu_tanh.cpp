#include "sgf/kernels/gelu_tanh.h"

#include "sgf/kernels/cpu/gelu_tanh.h"
#include "sgf/kernels/cpu/row_threads.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

namespace sgf {
namespace {

at::Tensor gelu_tanh_on_cpu(const at::Tensor& x_in) {
  const at::Tensor x = x_in.contiguous(), out = at::empty_like(x);
  const cpu::GeluTanhForward io{x.data_ptr<float>(), out.data_ptr<float>()};
  over_rows(x.numel(), 2, [&](cpu::RowRange elements) { cpu::gelu_tanh(io, elements); });
  return out;
}

struct CpuGeluTanh : torch::autograd::Function<CpuGeluTanh> {
  static at::Tensor forward(torch::autograd::AutogradContext* ctx, const at::Tensor& x) {
    ctx->save_for_backward({x});
    return gelu_tanh_on_cpu(x);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grads) {
    const at::Tensor x = ctx->get_saved_variables()[0].contiguous(), grad = grads[0].contiguous();
    const at::Tensor grad_x = at::empty_like(x);
    const cpu::GeluTanhBackward io{grad.data_ptr<float>(), x.data_ptr<float>(), grad_x.data_ptr<float>()};
    over_rows(x.numel(), 2, [&](cpu::RowRange elements) { cpu::gelu_tanh(io, elements); });
    return {grad_x};
  }
};

}  // namespace

at::Tensor gelu_tanh_reference(const at::Tensor& x) { return at::gelu(x, "tanh"); }

at::Tensor gelu_tanh(const at::Tensor& x) {
  if (!x.is_cpu() || x.scalar_type() != at::kFloat) return gelu_tanh_reference(x);
  return wants_graph(x) ? CpuGeluTanh::apply(x) : gelu_tanh_on_cpu(x);
}

}  // namespace sgf
