#include "sgf/vbench/amt_blocks.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

namespace sgf {
namespace {

constexpr std::array<int64_t, 4> kAmtWidths{20, 32, 44, 56};
constexpr int64_t kAmtSide = 20;          // channels with separate convolutions
constexpr int64_t kAmtWindows = 2 * 196;  // both directions, four levels, radius 3
constexpr double kLeak = 0.1;

constexpr int64_t kBilinearWarp = 0, kBorderGoesOn = 1;  // in at::grid_sampler's numbering

at::Tensor leaky(const at::Tensor& x) { return at::leaky_relu(x, kLeak); }

// -1 to 1 along an axis of `size`, in grid_sampler's coordinates.
at::Tensor sampler_line(int64_t size, const at::Tensor& like) { return at::linspace(-1, 1, size, like.options()); }

}  // namespace

at::Tensor warp(const at::Tensor& picture, const at::Tensor& flow) {
  const int64_t height = flow.size(2), width = flow.size(3);
  const at::Tensor x = flow.select(1, 0) * (2 / static_cast<double>(width - 1)) + sampler_line(width, flow);
  const at::Tensor y =
      flow.select(1, 1) * (2 / static_cast<double>(height - 1)) + sampler_line(height, flow).view({-1, 1});
  return in_layout(
      at::grid_sampler(picture, at::stack({x, y}, -1), kBilinearWarp, kBorderGoesOn, /*align_corners=*/true));
}

at::Tensor enlarged(const at::Tensor& x, int64_t factor) {
  if (factor == 1) return x;
  return at::upsample_bilinear2d(x, {x.size(2) * factor, x.size(3) * factor}, /*align_corners=*/false);
}

at::Tensor reduced(const at::Tensor& x, int64_t factor) {
  if (factor == 1) return x;
  return at::upsample_bilinear2d(x, {x.size(2) / factor, x.size(3) / factor}, /*align_corners=*/false);
}

at::Tensor PreluConvolution::operator()(const at::Tensor& x) const { return at::prelu(convolution(x), slope); }

PreluConvolution take_prelu_convolution(NetworkWeights& weights, const std::string& name,
                                        const ConvolutionShape& shape) {
  return {.convolution = take_convolution(weights, name + ".0", shape),
          .slope = weights.take(name + ".1.weight", {shape.out})};
}

AmtPyramid::AmtPyramid(NetworkWeights& weights) {
  int64_t in = 3;
  for (size_t i = 0; i < kAmtWidths.size(); ++i) {
    const std::string name = fmt::format("encoder.pyramid{}", i + 1);
    const int64_t out = kAmtWidths[i];
    levels_.push_back({.halve = take_prelu_convolution(weights, name + ".0", {.in = in, .out = out, .stride = 2}),
                       .refine = take_prelu_convolution(weights, name + ".1", {.in = out, .out = out})});
    in = out;
  }
}

std::array<at::Tensor, 4> AmtPyramid::operator()(const at::Tensor& picture) const {
  std::array<at::Tensor, 4> out;
  at::Tensor x = in_layout(picture);
  for (size_t i = 0; i < levels_.size(); ++i) out[i] = x = levels_[i].refine(levels_[i].halve(x));
  return out;
}

AmtDecoder::AmtDecoder(NetworkWeights& weights, const std::string& name, int64_t in, int64_t inner, int64_t out)
    : first_(take_prelu_convolution(weights, name + ".convblock.0", {.in = in, .out = inner})),
      whole_first_(take_prelu_convolution(weights, name + ".convblock.1.conv1", {.in = inner, .out = inner})),
      side_first_(take_prelu_convolution(weights, name + ".convblock.1.conv2", {.in = kAmtSide, .out = kAmtSide})),
      whole_second_(take_prelu_convolution(weights, name + ".convblock.1.conv3", {.in = inner, .out = inner})),
      side_second_(take_prelu_convolution(weights, name + ".convblock.1.conv4", {.in = kAmtSide, .out = kAmtSide})),
      whole_third_(take_convolution(weights, name + ".convblock.1.conv5", {.in = inner, .out = inner})),
      slope_(weights.take(name + ".convblock.1.prelu.weight", {inner})),
      up_weight_(in_layout(weights.take(name + ".convblock.2.weight", {inner, out, 4, 4}))),
      up_bias_(weights.take(name + ".convblock.2.bias", {out})) {}

at::Tensor AmtDecoder::with_side(const at::Tensor& x, const PreluConvolution& side) {
  const int64_t rest = x.size(1) - kAmtSide;
  return at::cat({x.narrow(1, 0, rest), side(x.narrow(1, rest, kAmtSide))}, 1);
}

at::Tensor AmtDecoder::residual(const at::Tensor& x) const {
  const at::Tensor once = with_side(whole_first_(x), side_first_);
  const at::Tensor twice = with_side(whole_second_(once), side_second_);
  return at::prelu(whole_third_(twice) + x, slope_);
}

at::Tensor AmtDecoder::operator()(const at::Tensor& x) const {
  return at::conv_transpose2d(residual(first_(x)), up_weight_, up_bias_, /*stride=*/2, /*padding=*/1);
}

AmtUpdate::AmtUpdate(NetworkWeights& weights, const std::string& name, int64_t features, int64_t factor)
    : factor_(factor),
      windows_(take_convolution(weights, name + ".convc1", {.in = kAmtWindows, .out = 64, .height = 1, .width = 1})),
      flow_first_(take_convolution(weights, name + ".convf1", {.in = 4, .out = 40, .height = 7, .width = 7})),
      flow_second_(take_convolution(weights, name + ".convf2", {.in = 40, .out = 20})),
      joined_(take_convolution(weights, name + ".conv", {.in = 84, .out = 68})),
      body_(take_pair(weights, name + ".gru", 68 + 4 + features, 76)),
      feature_head_(take_pair(weights, name + ".feat_head", 76, features)),
      flow_head_(take_pair(weights, name + ".flow_head", 76, 4)) {}

AmtUpdate::Pair AmtUpdate::take_pair(NetworkWeights& weights, const std::string& name, int64_t in, int64_t out) {
  return {.first = take_convolution(weights, name + ".0", {.in = in, .out = 76}),
          .second = take_convolution(weights, name + ".2", {.in = 76, .out = out})};
}

at::Tensor AmtUpdate::Pair::operator()(const at::Tensor& x) const { return second(leaky(first(x))); }

at::Tensor AmtUpdate::small_flow(const AmtState& state) const {
  return reduced(state.flow, factor_) / static_cast<double>(factor_);
}

AmtState AmtUpdate::corrected(const AmtState& state, const at::Tensor& small_flow, const at::Tensor& windows) const {
  const at::Tensor seen = leaky(windows_(in_layout(windows)));
  const at::Tensor moved = leaky(flow_second_(leaky(flow_first_(in_layout(small_flow)))));
  const at::Tensor joined = leaky(joined_(at::cat({seen, moved}, 1)));
  const at::Tensor body = body_(at::cat({joined, small_flow, reduced(state.features, factor_)}, 1));
  const double scale = static_cast<double>(factor_);
  return {.flow = state.flow + enlarged(flow_head_(body), factor_) * scale,
          .features = state.features + enlarged(feature_head_(body), factor_)};
}

}  // namespace sgf
