// The convolution of RAFT and AMT: padded by half its kernel, with a bias.
#pragma once

#include "sgf/vbench/network_weights.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

namespace sgf {

struct ConvolutionShape {
  int64_t in = 0, out = 0;
  int64_t height = 3, width = 3;  // of the kernel, odd
  int64_t stride = 1;
};

struct Convolution {
  at::Tensor weight;  // [out, in, height, width]
  at::Tensor bias;    // [out]
  int64_t stride = 1;

  at::Tensor operator()(const at::Tensor& x) const;  // [N, in, H, W]
};

// Converts to the faster memory layout: channels last on a CPU (1.2 to 1.7 times as fast), unchanged on a GPU.
at::Tensor in_layout(const at::Tensor& x);

// `name`.weight and `name`.bias.
Convolution take_convolution(NetworkWeights& weights, const std::string& name, const ConvolutionShape& shape);

}  // namespace sgf
