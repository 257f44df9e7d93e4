// Convolutions that look back in time and never ahead. Each remembers the last frames it was given, so that a video may
// come in pieces of any length.
#pragma once

#include "sgf/vae/vae_weights.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace sgf {

// What one stream remembers between two pieces: the last input frames of every convolution over time, by its slot.
struct VaeState {
  std::vector<at::Tensor> history;  // [B, C, 2, H, W] (1 where time is halved); undefined: zeros
  int64_t latents = 0;              // that went through so far

  bool is_first() const { return latents == 0; }
};

// What the parts of a network are built from: weights, and the names of the slots given out so far.
struct VaeParts {
  const VaeWeights& weights;
  std::vector<std::string> slots;

  size_t take_slot(const std::string& name);
  at::Tensor wide_vector(const std::string& name) const;  // [C], float32 or wider: biases and norm scales
  at::Tensor placed(const std::string& name) const;       // a kernel laid out as the activations are
};

// Channels last where a GPU's convolutions want them.
at::MemoryFormat video_layout(const at::Tensor& like);
at::MemoryFormat picture_layout(const at::Tensor& like);

// A 3x3x3 (or 3x1x1) convolution of stride 1 behind two remembered frames.
class CausalConv {
 public:
  static constexpr int64_t kPast = 2;

  CausalConv(VaeParts& parts, const std::string& name);

  // [B, C, 2 + frames, H, W] for input of the size of `like`: the past is filled in, `fresh` is for the caller to fill.
  at::Tensor buffer(const at::Tensor& like, const VaeState& state) const;
  static at::Tensor fresh(const at::Tensor& buffer);

  // Convolves a filled buffer, and remembers its last frames. The bias is left to whoever reads the result.
  at::Tensor operator()(const at::Tensor& buffer, VaeState& state) const;
  at::Tensor apply(const at::Tensor& x, VaeState& state) const;  // the same for input that lies elsewhere

  const at::Tensor& bias() const { return bias_; }

 private:
  at::Tensor weight_;  // [out, in, 3, k, k]; may have more channels than the network asks for, of zeros
  at::Tensor bias_;    // [out], wide
  size_t slot_;
};

}  // namespace sgf
