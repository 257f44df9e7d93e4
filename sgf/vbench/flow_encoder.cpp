#include "sgf/vbench/flow_encoder.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

namespace sgf {
namespace {

constexpr double kEncoderEps = 1e-5;

// (conv(x) - mean) / deviation * weight + bias, as one convolution.
Convolution fold_batch_norm(const Convolution& convolution, NetworkWeights& weights, const std::string& norm) {
  const int64_t width = convolution.bias.size(0);
  const at::Tensor gain = weights.take(norm + ".weight", {width}), bias = weights.take(norm + ".bias", {width});
  const at::Tensor mean = weights.take(norm + ".running_mean", {width});
  const at::Tensor variance = weights.take(norm + ".running_var", {width});
  const at::Tensor scale = gain / (variance + kEncoderEps).sqrt();
  return {.weight = convolution.weight * scale.view({-1, 1, 1, 1}),
          .bias = (convolution.bias - mean) * scale + bias,
          .stride = convolution.stride};
}

}  // namespace

FlowEncoder::FlowEncoder(NetworkWeights& weights, const std::string& name, const FlowEncoderPlan& plan)
    : plan_(plan),
      first_(take(weights, name + ".conv1", name + ".norm1",
                  {.in = 3, .out = plan.widths[0], .height = 7, .width = 7, .stride = 2})),
      last_(take_convolution(weights, name + ".conv2",
                             {.in = plan.widths[2], .out = plan.out, .height = 1, .width = 1})) {
  int64_t in = plan.widths[0];
  for (size_t layer = 0; layer < plan.widths.size(); ++layer) {
    const std::string begin = fmt::format("{}.layer{}", name, layer + 1);
    const int64_t out = plan.widths[layer];
    blocks_.push_back(take_block(weights, begin + ".0", in, out, layer == 0 ? 1 : 2));
    blocks_.push_back(take_block(weights, begin + ".1", out, out, 1));
    in = out;
  }
}

Convolution FlowEncoder::take(NetworkWeights& weights, const std::string& name, const std::string& norm,
                              const ConvolutionShape& shape) const {
  const Convolution convolution = take_convolution(weights, name, shape);
  return plan_.norm == EncoderNorm::kBatch ? fold_batch_norm(convolution, weights, norm) : convolution;
}

FlowEncoder::Block FlowEncoder::take_block(NetworkWeights& weights, const std::string& name, int64_t in, int64_t out,
                                           int64_t stride) const {
  std::vector<ConvolutionShape> shapes{{.in = in, .out = out, .stride = stride}, {.in = out, .out = out}};
  if (plan_.block == EncoderBlock::kBottleneck)
    shapes = {{.in = in, .out = out / 4, .height = 1, .width = 1},
              {.in = out / 4, .out = out / 4, .stride = stride},
              {.in = out / 4, .out = out, .height = 1, .width = 1}};
  const auto norm = [&](size_t number) { return fmt::format("{}.norm{}", name, number); };
  Block block;
  for (const ConvolutionShape& shape : shapes) {
    const size_t number = block.steps.size() + 1;
    block.steps.push_back(take(weights, fmt::format("{}.conv{}", name, number), norm(number), shape));
  }
  // Files contain the shortcut's norm twice, as this and as downsample.1: one module under two names.
  if (stride != 1)
    block.shortcut = take(weights, name + ".downsample.0", norm(shapes.size() + 1),
                          {.in = in, .out = out, .height = 1, .width = 1, .stride = stride});
  return block;
}

at::Tensor FlowEncoder::normed(const Convolution& convolution, const at::Tensor& x) const {
  const at::Tensor y = convolution(x);
  if (plan_.norm == EncoderNorm::kBatch) return y;
  // A group norm with one group per channel is ten times as fast in channels-last layout, but loses one and a half
  // digits of precision there.
  return in_layout(at::instance_norm(y, {}, {}, {}, {}, /*use_input_stats=*/true, /*momentum=*/0, kEncoderEps,
                                     /*cudnn_enabled=*/true));
}

at::Tensor FlowEncoder::run(const Block& block, const at::Tensor& x) const {
  at::Tensor y = x;
  for (const Convolution& step : block.steps) y = normed(step, y).relu_();
  return y.add_(block.shortcut ? normed(*block.shortcut, x) : x).relu_();
}

at::Tensor FlowEncoder::operator()(const at::Tensor& planes) const {
  at::Tensor x = normed(first_, in_layout(planes)).relu_();
  for (const Block& block : blocks_) x = run(block, x);
  return last_(x);
}

}  // namespace sgf
