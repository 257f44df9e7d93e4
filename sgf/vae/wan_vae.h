// The Wan VAE: frames to latents and back, in pieces, with the state of a stream.
#pragma once

#include "sgf/vae/vae_blocks.h"

#include <optional>

namespace sgf {

struct VaeSettings {
  // How many latent frames (for the encoder: groups of frames) are computed together once a stream has started. More
  // use a GPU better, at the cost of memory. 0: 4 on a GPU, 1 on a CPU.
  int64_t latents_per_pass = 0;
};

// One half of the VAE: a first convolution, the parts after it, a last norm and convolution.
class VaeHalf {
 public:
  VaeHalf(const VaeWeights& weights, const std::string& name);

  // [B, C, T, H, W] of the next frames, in the weights' dtype.
  at::Tensor operator()(const at::Tensor& x, VaeState& state) const;

  VaeState fresh_state() const;
  const std::vector<std::string>& slots() const { return slots_; }  // names, by slot

 private:
  VaeHalf(VaeParts parts, const std::string& name);

  CausalConv first_;
  VaePartList parts_;
  at::Tensor head_gamma_;
  std::unique_ptr<CausalConv> last_;
  int64_t out_channels_;
  std::vector<std::string> slots_;
};

class WanVae {
 public:
  explicit WanVae(const VaeWeights& weights, VaeSettings settings = {});

  const VaeConfig& config() const { return config_; }
  at::TensorOptions options() const { return mean_weight_.options(); }
  const VaeHalf& encoder() const { return encoder_; }
  const VaeHalf& decoder() const { return decoder_; }

  // Frames [B, 3, T, H, W] in [-1, 1] that follow those of the last call: the first call takes one frame plus whole
  // groups, later calls whole groups -> the mean of each latent frame, [B, z, T', h, w], float32 or wider, not
  // normalised.
  at::Tensor encode(const at::Tensor& pictures, VaeState& state) const;

  // Latents [B, z, T, h, w], not normalised -> frames [B, 3, T', H, W] in about [-1, 1], float32 or wider.
  at::Tensor decode(const at::Tensor& latents, VaeState& state) const;

 private:
  at::Tensor encode_pass(const at::Tensor& pictures, VaeState& state) const;
  at::Tensor decode_pass(const at::Tensor& latents, VaeState& state) const;

  VaeConfig config_;
  int64_t latents_per_pass_;
  VaeHalf encoder_, decoder_;
  at::Tensor mean_weight_, mean_bias_;    // the rows of conv1 that give the mean
  at::Tensor entry_weight_, entry_bias_;  // conv2
};

}  // namespace sgf
