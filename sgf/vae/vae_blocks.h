// The parts of the Wan VAE between its first and its last convolution. A part returns a pending sum; the norm at the
// start of the next part adds it up, which saves one pass over memory.
#pragma once

#include "sgf/kernels/channel_norm.h"
#include "sgf/vae/causal_conv.h"

#include <memory>

namespace sgf {

class VaePart {
 public:
  virtual ~VaePart() = default;
  virtual ChannelSum operator()(ChannelSum x, VaeState& state) const = 0;
};

using VaePartList = std::vector<std::unique_ptr<VaePart>>;

// Norm, SiLU and convolution, twice, with a shortcut.
class VaeResidual final : public VaePart {
 public:
  VaeResidual(VaeParts& parts, const std::string& name);
  ChannelSum operator()(ChannelSum x, VaeState& state) const override;

 private:
  at::Tensor shortcut(const at::Tensor& x) const;

  at::Tensor first_gamma_, second_gamma_;
  CausalConv first_, second_;
  at::Tensor shortcut_;  // [out, in] if widths differ
  at::Tensor bias_;      // of the second convolution plus the shortcut
};

// Attention within each frame, with one head as wide as the channels.
class VaeAttention final : public VaePart {
 public:
  VaeAttention(const VaeParts& parts, const std::string& name);
  ChannelSum operator()(ChannelSum x, VaeState& state) const override;

 private:
  at::Tensor gamma_;
  at::Tensor qkv_weight_, qkv_bias_, proj_weight_;
  at::Tensor proj_bias_;
};

// Halves height and width; if temporal, then also time, except for the first frame.
class VaeDownsample final : public VaePart {
 public:
  VaeDownsample(VaeParts& parts, const VaeLayer& layer);
  ChannelSum operator()(ChannelSum x, VaeState& state) const override;

 private:
  ChannelSum halve_time(const at::Tensor& x, VaeState& state) const;

  at::Tensor weight_, bias_;
  at::Tensor time_weight_, time_bias_;  // undefined in a spatial step
  size_t slot_ = 0;
};

// If temporal, doubles time, except for the first latent frame, which skips that convolution; then height and width.
class VaeUpsample final : public VaePart {
 public:
  VaeUpsample(VaeParts& parts, const VaeLayer& layer);
  ChannelSum operator()(ChannelSum x, VaeState& state) const override;

 private:
  at::Tensor double_time(const at::Tensor& x, VaeState& state) const;

  std::unique_ptr<CausalConv> time_;
  at::Tensor weight_;  // [4 C', C, 2, 2]: includes doubling the frame
  at::Tensor bias_;
};

}  // namespace sgf
