#include "sgf/kernels/layer_norm_modulate.h"

#include "sgf/core/error.h"
#include "sgf/kernels/cpu/layer_norm_modulate.h"
#include "sgf/kernels/cpu/row_threads.h"
#include "sgf/kernels/cuda/layer_norm_modulate.h"
#include "sgf/kernels/cuda/row_launch.h"
#include "sgf/kernels/wide.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

namespace sgf {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Rows in groups, and the parameters per group: the modulation of a frame, or one affine map for all rows.
struct NormCall {
  at::Tensor x;
  cuda::RowShape shape;
  cuda::GroupRows shift, scale;
  float base = 1;
};

struct NormOnCuda {
  at::Tensor out, mean, inverse;
};

NormOnCuda norm_on_cuda(const NormCall& call, double eps) {
  const NormOnCuda rows{at::empty_like(call.x), floats_like(call.x, {call.shape.rows()}),
                        floats_like(call.x, {call.shape.rows()})};
  launch_rows<cuda::LayerNormModulateForward>(
      cuda::layer_norm_modulate,
      {call.x.data_ptr(), call.shift, call.scale, call.base, static_cast<float>(eps), rows.out.data_ptr(),
       rows.mean.data_ptr<float>(), rows.inverse.data_ptr<float>()},
      call.shape, call.x);
  return rows;
}

struct NormGradients {
  at::Tensor x, shift, scale;  // as x; [groups, C], float32
};

NormGradients norm_backward_on_cuda(const NormCall& call, const at::Tensor& grad_in, const at::Tensor& mean,
                                    const at::Tensor& inverse) {
  const at::Tensor grad = grad_in.contiguous(), grad_x = at::empty_like(call.x);
  const at::Tensor shift = floats_like(call.x, {call.shape.groups, cuda::row_splits(call.shape), call.shape.channels});
  const at::Tensor scale = at::empty_like(shift);
  launch_rows<cuda::LayerNormModulateBackward>(
      cuda::layer_norm_modulate,
      {grad.data_ptr(), call.x.data_ptr(), call.scale, call.base, mean.data_ptr<float>(), inverse.data_ptr<float>(),
       grad_x.data_ptr(), shift.data_ptr<float>(), scale.data_ptr<float>()},
      call.shape, call.x);
  return {grad_x, sum_of_parts(shift), sum_of_parts(scale)};
}

struct FusedLayerNormModulate : torch::autograd::Function<FusedLayerNormModulate> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x_in, const at::Tensor& shift_in,
                            const at::Tensor& scale_in, double eps) {
    const at::Tensor x = x_in.contiguous(), shift = evenly_spaced(shift_in), scale = evenly_spaced(scale_in);
    const NormOnCuda rows = norm_on_cuda({x, frame_rows(x, shift), group_rows(shift), group_rows(scale)}, eps);
    ctx->save_for_backward({x, scale, rows.mean, rows.inverse});
    return rows.out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor &x = saved[0], &scale = saved[1];
    const NormGradients found =
        norm_backward_on_cuda({x, frame_rows(x, scale), {}, group_rows(scale)}, grads[0], saved[2], saved[3]);
    return {found.x, found.shift.view(scale.sizes()), found.scale.view(scale.sizes()), at::Tensor()};
  }
};

cuda::GroupRows one_row(const at::Tensor& row) { return {row.data_ptr(), 0, row.scalar_type() == at::kFloat}; }

cuda::RowShape rows_of_all(const at::Tensor& x) { return {1, x.numel() / x.size(-1), x.size(-1)}; }

struct FusedLayerNormAffine : torch::autograd::Function<FusedLayerNormAffine> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x_in, const at::Tensor& weight_in,
                            const at::Tensor& bias_in, double eps) {
    const at::Tensor x = x_in.contiguous(), weight = weight_in.contiguous(), bias = bias_in.contiguous();
    const NormOnCuda rows = norm_on_cuda({x, rows_of_all(x), one_row(bias), one_row(weight), /*base=*/0}, eps);
    ctx->save_for_backward({x, weight, rows.mean, rows.inverse});
    return rows.out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1];
    const NormGradients found =
        norm_backward_on_cuda({x, rows_of_all(x), {}, one_row(weight), /*base=*/0}, grads[0], saved[2], saved[3]);
    const auto as_weight = [&](const at::Tensor& t) { return t.view({-1}).to(weight.scalar_type()); };
    return {found.x, as_weight(found.scale), as_weight(found.shift), at::Tensor()};
  }
};

// The output of the CPU kernel: the result, and every row's mean and inverse standard deviation.
struct NormedRows {
  at::Tensor out, mean, inverse;
};

template <class T>
NormedRows norm_on_cpu(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale, double eps) {
  const cpu::RowShape shape = frames_of(x, shift);
  const NormedRows rows{at::empty_like(x), at::empty({shape.rows()}, x.options()),
                        at::empty({shape.rows()}, x.options())};
  const cpu::LayerNormModulateForward<T> io{
      x.data_ptr<T>(),     shift.data_ptr<T>(),    scale.data_ptr<T>(),     shift.stride(1),           scale.stride(1),
      static_cast<T>(eps), rows.out.data_ptr<T>(), rows.mean.data_ptr<T>(), rows.inverse.data_ptr<T>()};
  over_rows(shape.groups, shape.rows_per_group * shape.channels,
            [&](cpu::RowRange groups) { cpu::layer_norm_modulate(io, shape, groups); });
  return rows;
}

NormedRows norm_rows(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale, double eps) {
  return x.scalar_type() == at::kFloat ? norm_on_cpu<float>(x, shift, scale, eps)
                                       : norm_on_cpu<double>(x, shift, scale, eps);
}

template <class T>
variable_list norm_backward_on_cpu(const at::Tensor& grad, const at::Tensor& x, const at::Tensor& scale,
                                   const at::Tensor& mean, const at::Tensor& inverse) {
  const cpu::RowShape shape = frames_of(x, scale);
  const at::Tensor grad_x = at::empty_like(x), grad_shift = at::empty(scale.sizes(), scale.options()),
                   grad_scale = at::empty(scale.sizes(), scale.options());
  const cpu::LayerNormModulateBackward<T> io{grad.data_ptr<T>(),   x.data_ptr<T>(),          scale.data_ptr<T>(),
                                             scale.stride(1),      mean.data_ptr<T>(),       inverse.data_ptr<T>(),
                                             grad_x.data_ptr<T>(), grad_shift.data_ptr<T>(), grad_scale.data_ptr<T>()};
  over_rows(shape.groups, shape.rows_per_group * shape.channels,
            [&](cpu::RowRange groups) { cpu::layer_norm_modulate(io, shape, groups); });
  return {grad_x, grad_shift, grad_scale, at::Tensor()};
}

struct CpuLayerNormModulate : torch::autograd::Function<CpuLayerNormModulate> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale,
                            double eps) {
    const NormedRows rows = norm_rows(x, shift, scale, eps);
    ctx->save_for_backward({x, scale, rows.mean, rows.inverse});
    return rows.out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor grad = grads[0].contiguous();
    return grad.scalar_type() == at::kFloat
               ? norm_backward_on_cpu<float>(grad, saved[0], saved[1], saved[2], saved[3])
               : norm_backward_on_cpu<double>(grad, saved[0], saved[1], saved[2], saved[3]);
  }
};

at::Tensor layer_norm_modulate_on_cpu(const at::Tensor& x_in, const at::Tensor& shift_in, const at::Tensor& scale_in,
                                      double eps) {
  const at::Tensor x = x_in.contiguous(), shift = evenly_spaced(shift_in), scale = evenly_spaced(scale_in);
  return wants_graph(x, shift, scale) ? CpuLayerNormModulate::apply(x, shift, scale, eps)
                                      : norm_rows(x, shift, scale, eps).out;
}

}  // namespace

at::Tensor layer_norm_modulate_reference(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale,
                                         double eps) {
  const at::Tensor normed = at::layer_norm(wide(x), {x.size(-1)}, {}, {}, eps);
  const at::Tensor frames = normed.unflatten(1, {shift.size(1), -1});
  const at::Tensor out = frames * (scale.unsqueeze(2) + 1) + shift.unsqueeze(2);
  return out.flatten(1, 2).to(x.scalar_type());
}

at::Tensor layer_norm_modulate(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale, double eps) {
  SGF_CHECK(x.dim() == 3 && shift.dim() == 3 && shift.sizes() == scale.sizes() && x.size(1) % shift.size(1) == 0,
            "layer_norm_modulate expects x [B, F * L, C] and shift, scale [B, F, C], got {} tokens for {} frames",
            x.size(1), shift.size(1));
  if (takes_cpu_rows(x) && shift.scalar_type() == x.scalar_type() && scale.scalar_type() == x.scalar_type())
    return layer_norm_modulate_on_cpu(x, shift, scale, eps);
  if (!takes_row_kernel(x, x.size(2))) return layer_norm_modulate_reference(x, shift, scale, eps);
  return FusedLayerNormModulate::apply(x, shift, scale, eps);
}

at::Tensor layer_norm_affine_reference(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                                       double eps) {
  return at::layer_norm(x, {x.size(-1)}, weight, bias, eps);
}

at::Tensor layer_norm_affine(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, double eps) {
  if (!takes_row_kernel(x, x.size(-1)) || weight.scalar_type() != x.scalar_type() ||
      bias.scalar_type() != x.scalar_type())
    return layer_norm_affine_reference(x, weight, bias, eps);
  return FusedLayerNormAffine::apply(x, weight, bias, eps);
}

}  // namespace sgf
