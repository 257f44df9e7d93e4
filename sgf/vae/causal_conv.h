// Causal convolutions over time. Each keeps its last input frames, so that a video may come in pieces of any length.
#pragma once

#include "sgf/vae/vae_weights.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace sgf {

// The state of one stream between two pieces: the last input frames of every temporal convolution, by its slot.
struct VaeState {
  std::vector<at::Tensor> history;  // [B, C, 2, H, W] (1 if it halves time); undefined: zeros
  int64_t latents = 0;              // latent frames processed so far

  bool is_first() const { return latents == 0; }
};

// What the parts of a network are built from: weights, and the slot names assigned so far.
struct VaeParts {
  const VaeWeights& weights;
  std::vector<std::string> slots;

  size_t take_slot(const std::string& name);
  at::Tensor wide_vector(const std::string& name) const;  // [C], float32 or wider: biases and norm scales
  at::Tensor placed(const std::string& name) const;       // a kernel in the layout of the activations
};

// Channels last if the GPU's convolutions prefer it.
at::MemoryFormat video_layout(const at::Tensor& like);
at::MemoryFormat picture_layout(const at::Tensor& like);

// A 3x3x3 (or 3x1x1) convolution of stride 1 with two cached past frames.
class CausalConv {
 public:
  static constexpr int64_t kPast = 2;

  CausalConv(VaeParts& parts, const std::string& name);

  // [B, C, 2 + frames, H, W] for input of the size of `like`. The past frames are filled in; the caller fills the rest.
  at::Tensor buffer(const at::Tensor& like, const VaeState& state) const;
  static at::Tensor fresh(const at::Tensor& buffer);

  // Convolves a filled buffer and caches its last frames. The consumer of the result adds the bias.
  at::Tensor operator()(const at::Tensor& buffer, VaeState& state) const;
  at::Tensor apply(const at::Tensor& x, VaeState& state) const;  // the same for input outside a buffer

  const at::Tensor& bias() const { return bias_; }

 private:
  at::Tensor weight_;  // [out, in, 3, k, k]; may be padded with zero channels
  at::Tensor bias_;    // [out], wide
  size_t slot_;
};

}  // namespace sgf
