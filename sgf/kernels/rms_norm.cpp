#include "sgf/kernels/rms_norm.h"

#include "sgf/core/error.h"
#include "sgf/kernels/cpu/rms_norm.h"
#include "sgf/kernels/cpu/row_threads.h"
#include "sgf/kernels/cuda/rms_norm.h"
#include "sgf/kernels/cuda/row_launch.h"
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
    const at::Tensor x = x_in.contiguous(), w = weight.contiguous();
    const cuda::RowShape shape = all_rows(x);
    const at::Tensor out = at::empty_like(x), inverse = floats_like(x, {shape.rows()});
    launch_rows<cuda::RmsNormForward>(
        cuda::rms_norm,
        {x.data_ptr(), w.data_ptr(), static_cast<float>(eps), out.data_ptr(), inverse.data_ptr<float>()}, shape, x);
    ctx->save_for_backward({x, weight, inverse});
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor &x = saved[0], grad = grads[0].contiguous(), grad_x = at::empty_like(x);
    const at::Tensor w = saved[1].contiguous();
    const cuda::RowShape shape = all_rows(x);
    const at::Tensor parts = floats_like(x, {shape.groups, cuda::row_splits(shape), shape.channels});
    launch_rows<cuda::RmsNormBackward>(cuda::rms_norm,
                                       {grad.data_ptr(), x.data_ptr(), w.data_ptr(), saved[2].data_ptr<float>(),
                                        grad_x.data_ptr(), parts.data_ptr<float>()},
                                       shape, x);
    return {grad_x, sum_of_parts(parts).view({-1}).to(saved[1].scalar_type()), at::Tensor()};
  }
};

// Rows in groups of a fixed size, independent of the threads, so that sums per group are the same on any machine.
cpu::RowShape row_groups(const at::Tensor& x) {
  constexpr int64_t kRows = 64;
  const int64_t rows = x.numel() / x.size(-1);
  return {(rows + kRows - 1) / kRows, kRows, x.size(-1)};
}

struct ScaledRows {
  at::Tensor out, inverse;
};

template <class T>
ScaledRows rms_on_cpu(const at::Tensor& x, const at::Tensor& weight, double eps) {
  const cpu::RowShape shape = row_groups(x);
  const int64_t rows = x.numel() / x.size(-1);
  const ScaledRows result{at::empty_like(x), at::empty({rows}, x.options())};
  const cpu::RmsNormForward<T> io{x.data_ptr<T>(), weight.data_ptr<T>(), static_cast<T>(eps), result.out.data_ptr<T>(),
                                  result.inverse.data_ptr<T>()};
  over_rows(shape.groups, shape.rows_per_group * shape.channels,
            [&](cpu::RowRange groups) { cpu::rms_norm(io, shape, rows, groups); });
  return result;
}

ScaledRows scale_rows(const at::Tensor& x, const at::Tensor& weight, double eps) {
  return x.scalar_type() == at::kFloat ? rms_on_cpu<float>(x, weight, eps) : rms_on_cpu<double>(x, weight, eps);
}

template <class T>
variable_list rms_backward_on_cpu(const at::Tensor& grad, const at::Tensor& x, const at::Tensor& weight,
                                  const at::Tensor& inverse) {
  const cpu::RowShape shape = row_groups(x);
  const at::Tensor grad_x = at::empty_like(x), parts = at::empty({shape.groups, shape.channels}, x.options());
  const cpu::RmsNormBackward<T> io{grad.data_ptr<T>(),    x.data_ptr<T>(),      weight.data_ptr<T>(),
                                   inverse.data_ptr<T>(), grad_x.data_ptr<T>(), parts.data_ptr<T>()};
  over_rows(shape.groups, shape.rows_per_group * shape.channels,
            [&](cpu::RowRange groups) { cpu::rms_norm(io, shape, inverse.size(0), groups); });
  return {grad_x, parts.sum(0), at::Tensor()};
}

struct CpuRmsNorm : torch::autograd::Function<CpuRmsNorm> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const at::Tensor& weight, double eps) {
    const ScaledRows rows = scale_rows(x, weight, eps);
    ctx->save_for_backward({x, weight, rows.inverse});
    return rows.out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor grad = grads[0].contiguous();
    return grad.scalar_type() == at::kFloat ? rms_backward_on_cpu<float>(grad, saved[0], saved[1], saved[2])
                                            : rms_backward_on_cpu<double>(grad, saved[0], saved[1], saved[2]);
  }
};

at::Tensor rms_norm_on_cpu(const at::Tensor& x_in, const at::Tensor& weight_in, double eps) {
  const at::Tensor x = x_in.contiguous(), weight = weight_in.contiguous();
  return wants_graph(x, weight) ? CpuRmsNorm::apply(x, weight, eps) : scale_rows(x, weight, eps).out;
}

}  // namespace

at::Tensor rms_norm_reference(const at::Tensor& x, const at::Tensor& weight, double eps) {
  const at::Tensor w = wide(x);
  const at::Tensor inverse = (w.square().mean(-1, /*keepdim=*/true) + eps).rsqrt();
  return (w * inverse * weight).to(x.scalar_type());
}

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps) {
  SGF_CHECK(weight.dim() == 1 && x.size(-1) == weight.size(0),
            "rms_norm expects a weight as wide as the last dim, got {} for {}", weight.numel(), x.size(-1));
  if (takes_cpu_rows(x) && weight.scalar_type() == x.scalar_type()) return rms_norm_on_cpu(x, weight, eps);
  if (!takes_row_kernel(x, x.size(-1)) || weight.scalar_type() != x.scalar_type())
    return rms_norm_reference(x, weight, eps);
  return FusedRmsNorm::apply(x, weight, eps);
}

}  // namespace sgf
