#include "sgf/kernels/rms_norm.h"

#include "sgf/core/error.h"
#include "sgf/kernels/rms_norm_cuda.h"
#include "sgf/kernels/row_launch.h"
#include "sgf/kernels/wide.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

namespace sgf {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

cuda::RowShape all_rows(const at::Tensor& x) { return {1, x.numel() / x.size(-1), x.size(-1)}; }

struct FusedRmsNorm : torch::autograd::Function<FusedRmsNorm> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x_in, const at::Tensor& weight, double eps) {
    const at::Tensor x = x_in.contiguous(), w = weight.to(at::kFloat).contiguous();
    const cuda::RowShape shape = all_rows(x);
    const at::Tensor out = at::empty_like(x), inverse = floats_like(x, {shape.rows()});
    launch_rows<cuda::RmsNormForward>(
        cuda::rms_norm,
        {x.data_ptr(), w.data_ptr<float>(), static_cast<float>(eps), out.data_ptr(), inverse.data_ptr<float>()}, shape,
        x);
    ctx->save_for_backward({x, weight, inverse});
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor &x = saved[0], grad = grads[0].contiguous(), grad_x = at::empty_like(x);
    const at::Tensor w = saved[1].to(at::kFloat).contiguous();
    const cuda::RowShape shape = all_rows(x);
    const at::Tensor parts = floats_like(x, {shape.groups, cuda::row_splits(shape), shape.channels});
    launch_rows<cuda::RmsNormBackward>(cuda::rms_norm,
                                       {grad.data_ptr(), x.data_ptr(), w.data_ptr<float>(), saved[2].data_ptr<float>(),
                                        grad_x.data_ptr(), parts.data_ptr<float>()},
                                       shape, x);
    return {grad_x, parts.sum(at::IntArrayRef{0, 1}).to(saved[1].scalar_type()), at::Tensor()};
  }
};

}  // namespace

at::Tensor rms_norm_reference(const at::Tensor& x, const at::Tensor& weight, double eps) {
  const at::Tensor w = wide(x);
  const at::Tensor inverse = (w.square().mean(-1, /*keepdim=*/true) + eps).rsqrt();
  return (w * inverse * weight).to(x.scalar_type());
}

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps) {
  check(weight.dim() == 1 && x.size(-1) == weight.size(0), "kernels",
        "rms_norm takes a weight as wide as the last dim, got {} for {}", weight.numel(), x.size(-1));
  if (!takes_row_kernel(x, x.size(-1))) return rms_norm_reference(x, weight, eps);
  return FusedRmsNorm::apply(x, weight, eps);
}

}  // namespace sgf
