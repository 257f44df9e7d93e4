// The parts of AMT-S after its feature encoder.
#pragma once

#include "sgf/vbench/convolution.h"

#include <array>
#include <vector>

namespace sgf {

// A convolution and PReLU.
struct PreluConvolution {
  Convolution convolution;
  at::Tensor slope;  // [out]

  at::Tensor operator()(const at::Tensor& x) const;
};

// `name`.0 and `name`.1.
PreluConvolution take_prelu_convolution(NetworkWeights& weights, const std::string& name,
                                        const ConvolutionShape& shape);

// A pyramid of a frame's features at 1/2, 1/4, 1/8 and 1/16 of its size.
class AmtPyramid {
 public:
  explicit AmtPyramid(NetworkWeights& weights);

  std::array<at::Tensor, 4> operator()(const at::Tensor& picture) const;  // largest first

 private:
  struct Level {
    PreluConvolution halve, refine;
  };
  std::vector<Level> levels_;
};

// Doubles the size: a convolution, a residual block with separate convolutions for its last channels, and a transposed
// convolution.
class AmtDecoder {
 public:
  AmtDecoder(NetworkWeights& weights, const std::string& name, int64_t in, int64_t inner, int64_t out);

  at::Tensor operator()(const at::Tensor& x) const;

 private:
  at::Tensor residual(const at::Tensor& x) const;
  static at::Tensor with_side(const at::Tensor& x, const PreluConvolution& side);

  PreluConvolution first_;
  PreluConvolution whole_first_, side_first_, whole_second_, side_second_;
  Convolution whole_third_;
  at::Tensor slope_;                // after the sum
  at::Tensor up_weight_, up_bias_;  // [inner, out, 4, 4]
};

// The estimate of the frame in between at one size.
struct AmtState {
  at::Tensor flow;      // [B, 4, h, w]: to the first picture (x, y), to the second (x, y), in pixels of this size
  at::Tensor features;  // [B, C, h, w]
};

// Corrects a state using the correlations at the positions of its flows. It works at 1/8 of the frame size: larger
// states are downscaled by `factor`, and their changes upscaled again.
class AmtUpdate {
 public:
  AmtUpdate(NetworkWeights& weights, const std::string& name, int64_t features, int64_t factor);

  at::Tensor small_flow(const AmtState& state) const;  // [B, 4, h / factor, w / factor], in pixels of that size
  AmtState corrected(const AmtState& state, const at::Tensor& small_flow, const at::Tensor& windows) const;

 private:
  // Convolution, LeakyReLU, convolution.
  struct Pair {
    Convolution first, second;
    at::Tensor operator()(const at::Tensor& x) const;
  };
  static Pair take_pair(NetworkWeights& weights, const std::string& name, int64_t in, int64_t out);

  int64_t factor_;
  Convolution windows_, flow_first_, flow_second_, joined_;
  Pair body_, feature_head_, flow_head_;
};

// [B, C, h, w] of `picture` at the positions given by `flow` [B, 2, h, w]; the border is repeated outside.
at::Tensor warp(const at::Tensor& picture, const at::Tensor& flow);

// Bilinear scaling, sides multiplied or divided by `factor`.
at::Tensor enlarged(const at::Tensor& x, int64_t factor);
at::Tensor reduced(const at::Tensor& x, int64_t factor);

}  // namespace sgf
