#include "sgf/kernels/layer_norm_modulate.h"

#include "sgf/core/error.h"
#include "sgf/kernels/layer_norm_modulate_cuda.h"
#include "sgf/kernels/row_launch.h"
#include "sgf/kernels/wide.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

namespace sgf {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct FusedLayerNormModulate : torch::autograd::Function<FusedLayerNormModulate> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x_in, const at::Tensor& shift_in,
                            const at::Tensor& scale_in, double eps) {
    const at::Tensor x = x_in.contiguous(), shift = shift_in.contiguous(), scale = scale_in.contiguous();
    const cuda::RowShape shape = frame_rows(x, shift);
    const at::Tensor out = at::empty_like(x), mean = floats_like(x, {shape.rows()}), inverse = at::empty_like(mean);
    launch_rows<cuda::LayerNormModulateForward>(
        cuda::layer_norm_modulate,
        {x.data_ptr(), shift.data_ptr<float>(), scale.data_ptr<float>(), static_cast<float>(eps), out.data_ptr(),
         mean.data_ptr<float>(), inverse.data_ptr<float>()},
        shape, x);
    ctx->save_for_backward({x, scale, mean, inverse});
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor &x = saved[0], &scale = saved[1], grad = grads[0].contiguous(), grad_x = at::empty_like(x);
    const cuda::RowShape shape = frame_rows(x, scale);
    const at::Tensor shift_parts = floats_like(x, {shape.groups, cuda::row_splits(shape), shape.channels});
    const at::Tensor scale_parts = at::empty_like(shift_parts);
    launch_rows<cuda::LayerNormModulateBackward>(
        cuda::layer_norm_modulate,
        {grad.data_ptr(), x.data_ptr(), scale.data_ptr<float>(), saved[2].data_ptr<float>(), saved[3].data_ptr<float>(),
         grad_x.data_ptr(), shift_parts.data_ptr<float>(), scale_parts.data_ptr<float>()},
        shape, x);
    return {grad_x, shift_parts.sum(1).view(scale.sizes()), scale_parts.sum(1).view(scale.sizes()), at::Tensor()};
  }
};

}  // namespace

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
  if (!takes_row_kernel(x, x.size(2))) return layer_norm_modulate_reference(x, shift, scale, eps);
  return FusedLayerNormModulate::apply(x, shift, scale, eps);
}

}  // namespace sgf
