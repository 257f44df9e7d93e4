#include "sgf/kernels/linear_rows.h"

#include "sgf/kernels/cpu/row_threads.h"
#include "sgf/kernels/cuda/column_sums.h"
#include "sgf/kernels/cuda/row_launch.h"
#include "sgf/kernels/gelu_tanh.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

namespace sgf {
namespace {

struct LinearOnCuda : torch::autograd::Function<LinearOnCuda> {
  static at::Tensor forward(torch::autograd::AutogradContext* ctx, const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& bias) {
    ctx->save_for_backward({x, weight});
    return at::linear(x, weight, bias);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grads) {
    const torch::autograd::variable_list saved = ctx->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1];
    const at::Tensor grad = grads[0].reshape({-1, weight.size(0)});
    at::Tensor grad_x, grad_weight, grad_bias;
    if (ctx->needs_input_grad(0)) grad_x = grad.mm(weight).view(x.sizes());
    if (ctx->needs_input_grad(1)) grad_weight = grad.t().mm(x.reshape({-1, weight.size(1)}));
    if (ctx->needs_input_grad(2)) grad_bias = column_sums(grad);
    return {grad_x, grad_weight, grad_bias};
  }
};

}  // namespace

at::Tensor linear_rows_reference(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  return at::linear(x, weight, bias);
}

at::Tensor linear_rows(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  if (!x.is_cuda() || !wants_graph(x, weight, bias)) return linear_rows_reference(x, weight, bias);
  return LinearOnCuda::apply(x, weight, bias);
}

at::Tensor linear_gelu(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  const bool joins = x.is_cuda() && x.scalar_type() == at::kBFloat16 && !wants_graph(x, weight, bias);
  if (!joins) return gelu_tanh(linear_rows(x, weight, bias));
  const at::Tensor rows = x.reshape({-1, x.size(-1)});
  std::vector<int64_t> shape = x.sizes().vec();
  shape.back() = weight.size(0);
  return at::_addmm_activation(bias, rows, weight.t(), /*beta=*/1, /*alpha=*/1, /*use_gelu=*/true).view(shape);
}

at::Tensor column_sums(const at::Tensor& x_in) {
  if (!takes_row_kernel(x_in, x_in.size(1))) return x_in.sum(0);
  const at::Tensor x = x_in.contiguous();
  const cuda::RowShape shape{1, x.size(0), x.size(1)};
  const at::Tensor parts = floats_like(x, {cuda::row_splits(shape), shape.channels});
  launch_rows<cuda::ColumnSums>(cuda::column_sums, {x.data_ptr(), parts.data_ptr<float>()}, shape, x);
  return parts.sum(0).to(x.scalar_type());
}

}  // namespace sgf
