#include "sgf/kernels/channel_norm.h"

#include "sgf/core/error.h"
#include "sgf/kernels/cuda/channel_norm.h"
#include "sgf/kernels/cuda/row_launch.h"
#include "sgf/kernels/wide.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <cmath>

namespace sgf {
namespace {

constexpr auto kChannelsLast = at::MemoryFormat::ChannelsLast3d;

at::Tensor over_channels(const at::Tensor& per_channel, const at::Tensor& like) {
  return per_channel.to(wide_type(like.scalar_type())).view({1, -1, 1, 1, 1});
}

// Wide; allocates a new tensor only if something is added.
at::Tensor wide_sum(const ChannelSum& parts) {
  at::Tensor sum = wide(parts.x);
  if (parts.bias.defined()) sum = sum + over_channels(parts.bias, parts.x);
  if (parts.residual.defined()) sum = sum + parts.residual;
  return sum;
}

void check_parts(const ChannelSum& parts) {
  const at::Tensor& x = parts.x;
  SGF_CHECK(x.dim() == 5, "channel_norm expects [B, C, T, H, W], got [{}]", fmt::join(x.sizes(), ", "));
  SGF_CHECK(!parts.bias.defined() || (parts.bias.dim() == 1 && parts.bias.size(0) == x.size(1)),
            "channel_norm expects one bias value per channel ({}), got {}", x.size(1),
            parts.bias.defined() ? parts.bias.numel() : 0);
  SGF_CHECK(!parts.residual.defined() || parts.residual.sizes() == x.sizes(),
            "channel_norm expects a shortcut of shape [{}]", fmt::join(x.sizes(), ", "));
}

bool takes_channel_kernel(const at::Tensor& x) {
  if (!x.is_cuda() || (x.scalar_type() != at::kFloat && x.scalar_type() != at::kBFloat16)) return false;
  return cuda::channel_row_fits(x.size(1), float_type(x));
}

// Frames of a longer tensor are dense within a sample: only the stride between samples is larger.
bool has_channel_rows(const at::Tensor& out) {
  return out.dim() == 5 && (out.size(0) == 1 ? out : out.narrow(0, 0, 1)).is_contiguous(kChannelsLast);
}

at::Tensor floats_or_none(const at::Tensor& values) {
  return values.defined() ? values.to(at::kFloat).contiguous() : at::Tensor();
}

const float* float_pointer(const at::Tensor& values) { return values.defined() ? values.data_ptr<float>() : nullptr; }

// `norm` is null if only the sum is needed.
at::Tensor launch_channels(const ChannelSum& parts, const ChannelNorm* norm, const at::Tensor& out) {
  const at::Tensor x = parts.x.contiguous(kChannelsLast), bias = floats_or_none(parts.bias);
  const at::Tensor residual = parts.residual.defined() ? parts.residual.contiguous(kChannelsLast) : at::Tensor();
  const at::Tensor gamma = norm != nullptr ? floats_or_none(norm->gamma) : at::Tensor();
  const bool keeps_sum = norm == nullptr || norm->keeps_sum;
  const at::Tensor sum = !keeps_sum ? at::Tensor() : parts.is_pending() ? at::empty_like(x, kChannelsLast) : x;
  const cuda::ChannelNormForward io{x.const_data_ptr(),
                                    float_pointer(bias),
                                    residual.defined() ? residual.const_data_ptr() : nullptr,
                                    float_pointer(gamma),
                                    keeps_sum && parts.is_pending() ? sum.data_ptr() : nullptr,
                                    norm != nullptr ? out.data_ptr() : nullptr,
                                    norm != nullptr ? out.stride(0) : 0,
                                    norm != nullptr && norm->activation == ChannelActivation::kSilu};
  launch_rows(cuda::channel_norm, io, {x.size(0), x.numel() / (x.size(0) * x.size(1)), x.size(1)}, x);
  return sum;
}

}  // namespace

at::Tensor channel_sum_reference(const ChannelSum& parts) {
  return parts.is_pending() ? wide_sum(parts).to(parts.x.scalar_type()) : parts.x;
}

at::Tensor channel_norm_reference(const ChannelSum& parts, const ChannelNorm& norm, const at::Tensor& out) {
  const at::Tensor sum = wide_sum(parts);
  const double root = std::sqrt(static_cast<double>(sum.size(1)));
  at::Tensor normed = sum / sum.norm(2, {1}, /*keepdim=*/true).clamp_min_(1e-12);
  normed.mul_(over_channels(norm.gamma, sum) * root);
  out.copy_(norm.activation == ChannelActivation::kSilu ? at::silu_(normed) : normed);
  if (!norm.keeps_sum) return {};
  return parts.is_pending() ? sum.to(parts.x.scalar_type()) : parts.x;
}

at::Tensor channel_sum(const ChannelSum& parts) {
  check_parts(parts);
  if (!parts.is_pending() || !takes_channel_kernel(parts.x)) return channel_sum_reference(parts);
  return launch_channels(parts, nullptr, {});
}

at::Tensor channel_norm(const ChannelSum& parts, const ChannelNorm& norm, const at::Tensor& out) {
  check_parts(parts);
  SGF_CHECK(norm.gamma.dim() == 1 && norm.gamma.size(0) == parts.x.size(1) && out.sizes() == parts.x.sizes(),
            "channel_norm expects one scale per channel ({}) and an output of [{}], got {} and [{}]", parts.x.size(1),
            fmt::join(parts.x.sizes(), ", "), norm.gamma.numel(), fmt::join(out.sizes(), ", "));
  const bool fits =
      takes_channel_kernel(parts.x) && has_channel_rows(out) && out.scalar_type() == parts.x.scalar_type();
  return fits ? launch_channels(parts, &norm, out) : channel_norm_reference(parts, norm, out);
}

}  // namespace sgf
