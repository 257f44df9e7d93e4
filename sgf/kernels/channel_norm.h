// The norm of the video VAE over the channels of [B, C, T, H, W]. It fuses what the preceding convolution left to be
// added (its bias, a shortcut) and the following SiLU into one pass over memory. For inference: keeps no graph.
#pragma once

#include <ATen/core/Tensor.h>

namespace sgf {

// x + bias + residual, not yet added.
struct ChannelSum {
  at::Tensor x;                        // [B, C, T, H, W]
  at::Tensor bias = at::Tensor();      // [C] or undefined
  at::Tensor residual = at::Tensor();  // as x, or undefined

  bool is_pending() const { return bias.defined() || residual.defined(); }
};

enum class ChannelActivation { kNone, kSilu };

// What the norm writes and returns.
struct ChannelNorm {
  at::Tensor gamma;  // [C]
  ChannelActivation activation = ChannelActivation::kSilu;
  bool keeps_sum = true;  // whether the sum itself is needed
};

// The sum in x's dtype, accumulated wide.
at::Tensor channel_sum(const ChannelSum& parts);

// Writes activation(v / |v| * sqrt(C) * gamma) of the sum v, with |v| over the channels, into `out`, which may be
// frames of a longer tensor. Returns v if keeps_sum is set, else an undefined tensor.
at::Tensor channel_norm(const ChannelSum& parts, const ChannelNorm& norm, const at::Tensor& out);

// Plain references.
at::Tensor channel_sum_reference(const ChannelSum& parts);
at::Tensor channel_norm_reference(const ChannelSum& parts, const ChannelNorm& norm, const at::Tensor& out);

}  // namespace sgf
