#include "sgf/vbench/convolution.h"

#include <ATen/ATen.h>

namespace sgf {

at::Tensor Convolution::operator()(const at::Tensor& x) const {
  return at::conv2d(x, weight, bias, stride, {weight.size(2) / 2, weight.size(3) / 2});
}

Convolution take_convolution(NetworkWeights& weights, const std::string& name, const ConvolutionShape& shape) {
  return {.weight = weights.take(name + ".weight", {shape.out, shape.in, shape.height, shape.width}),
          .bias = weights.take(name + ".bias", {shape.out}),
          .stride = shape.stride};
}

}  // namespace sgf
