// The parts of the Wan VAE between its first and its last convolution. A part hands on a sum that is not yet added up:
// the norm at the head of the next one does that on its way, and memory is passed over once less.
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

// Norm, SiLU, convolution, twice, beside a shortcut.
class VaeResidual final : public VaePart {
 public:
  VaeResidual(VaeParts& parts, const std::string& name);
  ChannelSum operator()(ChannelSum x, VaeState& state) const override;

 private:
  at::Tensor shortcut(const at::Tensor& x) const;

  at::Tensor first_gamma_, second_gamma_;
  CausalConv first_, second_;
  at::Tensor shortcut_;  // [out, in] where widths differ
  at::Tensor bias_;      // of the second convolution and the shortcut
};

// One head as wide as the frame's channels, over the pixels of each frame alone.
class VaeAttention final : public VaePart {
 public:
  VaeAttention(const VaeParts& parts, const std::string& name);
  ChannelSum operator()(ChannelSum x, VaeState& state) const override;

 private:
  at::Tensor gamma_;
  at::Tensor qkv_weight_, qkv_bias_, proj_weight_;
  at::Tensor proj_bias_;
};

// Halves height and width; then, where it is temporal, time, but for the first picture.
class VaeDownsample final : public VaePart {
 public:
  VaeDownsample(VaeParts& parts, const VaeLayer& layer);
  ChannelSum operator()(ChannelSum x, VaeState& state) const override;

 private:
  ChannelSum halve_time(const at::Tensor& x, VaeState& state) const;

  at::Tensor weight_, bias_;
  at::Tensor time_weight_, time_bias_;  // undefined in a step through space alone
  size_t slot_ = 0;
};

// Doubles time where it is temporal, but for the first latent, which never enters that convolution; then height and
// width.
class VaeUpsample final : public VaePart {
 public:
  VaeUpsample(VaeParts& parts, const VaeLayer& layer);
  ChannelSum operator()(ChannelSum x, VaeState& state) const override;

 private:
  at::Tensor double_time(const at::Tensor& x, VaeState& state) const;

  std::unique_ptr<CausalConv> time_;
  at::Tensor weight_;  // [4 C', C, 2, 2]: doubling the picture is part of it
  at::Tensor bias_;
};

}  // namespace sgf
