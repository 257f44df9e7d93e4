// AMT-S, the network behind motion smoothness: predicts the frame half way between two frames.
#pragma once

#include "sgf/vbench/convolution.h"
#include "sgf/vbench/correlation.h"
#include "sgf/vbench/flow_encoder.h"
#include "sgf/vbench/network_weights.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <filesystem>
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

struct AmtSettings {
  int64_t pairs_per_pass = 0;  // computed together; 0: 1 on a CPU, as many as fit 4 GB of correlations on a GPU
};

// Intermediate values of a prediction on padded frames, for step-by-step comparison.
struct AmtTrace {
  at::Tensor features;  // [B, 84, h, w] of the first frame, at 1/8 of the size
  at::Tensor windows;   // [B, 392, h, w] at the positions of the coarsest flows
  std::array<at::Tensor, 4>
      flows;  // to the first and to the second frame; [0] at full size with three each, [3] at 1/8
};

// Dtype and device are those of its weights. Throws if a side, padded to a multiple of 16, is below 128.
class Amt {
 public:
  explicit Amt(NetworkWeights weights, AmtSettings settings = {});

  // Bytes [B, H, W, 3], RGB, on any device -> the frames in between, [B, 3, H, W] in [0, 1], on the network's device.
  at::Tensor between(const at::Tensor& first, const at::Tensor& second, AmtTrace* trace = nullptr) const;

  int64_t pairs_per_pass(const at::Tensor& pictures) const;
  at::TensorOptions options() const { return options_; }

 private:
  struct Pair;

  at::Tensor between_pass(const at::Tensor& first, const at::Tensor& second, AmtTrace* trace) const;
  at::Tensor windows_at(const Pair& pair, const at::Tensor& flow) const;
  AmtState corrected(const Pair& pair, const AmtUpdate& update, const AmtState& state, at::Tensor* windows) const;
  AmtState decode(const Pair& pair, const AmtDecoder& decoder, const AmtState& state, size_t level) const;
  at::Tensor compose(const Pair& pair, const AmtState& state, AmtTrace* trace) const;

  at::TensorOptions options_;
  AmtSettings settings_;
  FlowEncoder feature_encoder_;
  AmtPyramid pyramid_;
  AmtDecoder decoder4_, decoder3_, decoder2_, decoder1_;
  AmtUpdate update4_, update3_, update2_;
  PreluConvolution combine_first_;
  Convolution combine_second_;
};

// Loads `amt-s.pth` (weights under "state_dict") or any file with these weights.
Amt load_amt(const std::filesystem::path& path, at::TensorOptions options, AmtSettings settings = {});

}  // namespace sgf
