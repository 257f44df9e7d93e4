#include "sgf/vbench/amt.h"

#include "sgf/core/error.h"
#include "sgf/kernels/gpu_convolutions.h"
#include "sgf/vbench/network_files.h"
#include "sgf/vbench/picture_padding.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

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

constexpr int64_t kAmtLevels = 4;
constexpr int64_t kAmtRadius = 3;
constexpr int64_t kAmtMultiple = 16;
constexpr int64_t kAmtFlows = 3;  // candidates for every pixel
constexpr double kHalfWay = 0.5;
constexpr int64_t kAmtCorrelationBytes = int64_t{4} << 30;  // limit for the pairs of one pass on a GPU

FlowEncoderPlan amt_encoder_plan() { return {.widths = {32, 64, 96}, .out = 84, .block = EncoderBlock::kBottleneck}; }

at::Tensor to_first(const at::Tensor& flow) { return flow.narrow(1, 0, flow.size(1) / 2); }
at::Tensor to_second(const at::Tensor& flow) { return flow.narrow(1, flow.size(1) / 2, flow.size(1) / 2); }

// [B, n C, H, W] as [B n, C, H, W].
at::Tensor each_candidate(const at::Tensor& x) {
  return in_layout(x.reshape({x.size(0) * kAmtFlows, x.size(1) / kAmtFlows, x.size(2), x.size(3)}));
}

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

// Two frames and everything known about them before the frame in between is estimated.
struct Amt::Pair {
  at::Tensor mean;           // [B, 1, 1, 1], of both frames
  at::Tensor first, second;  // [B, 3, H, W], minus the mean
  at::Tensor grid;           // positions of features
  CorrelationPyramid forth, back;
  std::array<at::Tensor, 4> first_levels, second_levels;
};

Amt::Amt(NetworkWeights weights, AmtSettings settings)
    : options_(weights.options()),
      settings_(settings),
      feature_encoder_(weights, "feat_encoder", amt_encoder_plan()),
      pyramid_(weights),
      decoder4_(weights, "decoder4", 2 * 56 + 1, 2 * 56, 44 + 4),
      decoder3_(weights, "decoder3", 3 * 44 + 4, 3 * 44, 32 + 4),
      decoder2_(weights, "decoder2", 3 * 32 + 4, 3 * 32, 20 + 4),
      decoder1_(weights, "decoder1", 3 * 20 + 4, 3 * 20, 8 * kAmtFlows),
      update4_(weights, "update4", 44, 1),
      update3_(weights, "update3", 32, 2),
      update2_(weights, "update2", 20, 4),
      combine_first_{take_convolution(weights, "comb_block.0", {.in = 3 * kAmtFlows, .out = 6 * kAmtFlows}),
                     weights.take("comb_block.1.weight", {6 * kAmtFlows})},
      combine_second_(take_convolution(weights, "comb_block.2", {.in = 6 * kAmtFlows, .out = 3})) {
  SGF_CHECK(settings.pairs_per_pass >= 0, "pairs per pass of AMT must not be negative, got {}",
            settings.pairs_per_pass);
  check_tells_pixels_apart(options_, "AMT");
  weights.finish("AMT-S");
}

// Assumes uniform motion: a motion of f from the middle to one frame is f / 0.5 from one frame to the other.
at::Tensor Amt::windows_at(const Pair& pair, const at::Tensor& flow) const {
  return at::cat({pair.forth.look_up(pair.grid + to_second(flow) / kHalfWay, kAmtRadius),
                  pair.back.look_up(pair.grid + to_first(flow) / (1 - kHalfWay), kAmtRadius)},
                 1);
}

AmtState Amt::corrected(const Pair& pair, const AmtUpdate& update, const AmtState& state, at::Tensor* windows) const {
  const at::Tensor flow = update.small_flow(state);
  const at::Tensor seen = windows_at(pair, flow);
  if (windows != nullptr) *windows = seen;
  return update.corrected(state, flow, seen);
}

AmtState Amt::decode(const Pair& pair, const AmtDecoder& decoder, const AmtState& state, size_t level) const {
  const at::Tensor out = decoder(at::cat({state.features, warp(pair.first_levels[level], to_first(state.flow)),
                                          warp(pair.second_levels[level], to_second(state.flow)), state.flow},
                                         1));
  return {.flow = out.narrow(1, 0, 4) + enlarged(state.flow, 2) * 2, .features = out.narrow(1, 4, out.size(1) - 4)};
}

// Three candidates for every pixel. Each is a mixture of both frames, plus their mean and a correction from a small
// network.
at::Tensor Amt::compose(const Pair& pair, const AmtState& state, AmtTrace* trace) const {
  const at::Tensor out = decoder1_(at::cat({state.features, warp(pair.first_levels[0], to_first(state.flow)),
                                            warp(pair.second_levels[0], to_second(state.flow)), state.flow},
                                           1));
  const std::vector<at::Tensor> parts =
      out.split_with_sizes({2 * kAmtFlows, 2 * kAmtFlows, kAmtFlows, 3 * kAmtFlows}, 1);
  const at::Tensor doubled = enlarged(state.flow, 2) * 2;
  const at::Tensor first_flow = parts[0] + to_first(doubled).repeat({1, kAmtFlows, 1, 1});
  const at::Tensor second_flow = parts[1] + to_second(doubled).repeat({1, kAmtFlows, 1, 1});
  const at::Tensor from_first = warp(pair.first.repeat_interleave(kAmtFlows, 0), each_candidate(first_flow));
  const at::Tensor from_second = warp(pair.second.repeat_interleave(kAmtFlows, 0), each_candidate(second_flow));
  const at::Tensor mixed = at::lerp(from_second, from_first, each_candidate(parts[2]).sigmoid());
  const at::Tensor candidates = (mixed + pair.mean.repeat_interleave(kAmtFlows, 0) + each_candidate(parts[3]))
                                    .view({pair.first.size(0), kAmtFlows, 3, pair.first.size(2), pair.first.size(3)});
  if (trace != nullptr) trace->flows[0] = at::cat({first_flow, second_flow}, 1);
  return (candidates.mean(1) + combine_second_(combine_first_(in_layout(candidates.flatten(1, 2))))).clamp(0, 1);
}

at::Tensor Amt::between_pass(const at::Tensor& first, const at::Tensor& second, AmtTrace* trace) const {
  const PicturePadding padding = pyramid_padding(first, kAmtMultiple, "AMT");
  const at::Tensor one = padding.pad(picture_planes(first, options_)) / 255;
  const at::Tensor two = padding.pad(picture_planes(second, options_)) / 255;
  const GpuConvolutions convolutions(one, /*tries=*/true);
  const at::Tensor mean = (one.mean({1, 2, 3}, true) + two.mean({1, 2, 3}, true)) / 2;
  const at::Tensor a = in_layout(one - mean), b = in_layout(two - mean);
  const at::Tensor a_features = feature_encoder_(a), b_features = feature_encoder_(b);
  const Pair pair{.mean = mean,
                  .first = a,
                  .second = b,
                  .grid = grid_of_places(a_features.size(2), a_features.size(3), a_features.options()),
                  .forth = CorrelationPyramid(a_features, b_features, kAmtLevels),
                  .back = CorrelationPyramid(b_features, a_features, kAmtLevels),
                  .first_levels = pyramid_(a),
                  .second_levels = pyramid_(b)};
  const at::Tensor& coarse = pair.first_levels[3];
  const at::Tensor time = at::full({coarse.size(0), 1, coarse.size(2), coarse.size(3)}, kHalfWay, coarse.options());
  const at::Tensor begin = decoder4_(at::cat({coarse, pair.second_levels[3], time}, 1));
  const AmtState state4 =
      corrected(pair, update4_, {.flow = begin.narrow(1, 0, 4), .features = begin.narrow(1, 4, begin.size(1) - 4)},
                trace == nullptr ? nullptr : &trace->windows);
  const AmtState state3 = corrected(pair, update3_, decode(pair, decoder3_, state4, 2), nullptr);
  const AmtState state2 = corrected(pair, update2_, decode(pair, decoder2_, state3, 1), nullptr);
  if (trace != nullptr) {
    trace->features = a_features;
    trace->flows = {at::Tensor(), state2.flow, state3.flow, state4.flow};
  }
  return padding.unpad(compose(pair, state2, trace));
}

int64_t Amt::pairs_per_pass(const at::Tensor& pictures) const {
  if (settings_.pairs_per_pass > 0) return settings_.pairs_per_pass;
  if (options_.device().is_cpu()) return 1;
  const PicturePadding padding = pyramid_padding(pictures, kAmtMultiple, "AMT");
  const int64_t bytes = 2 * correlation_bytes(padding.padded_height() / 8, padding.padded_width() / 8, kAmtLevels,
                                              static_cast<int64_t>(options_.dtype().itemsize()));
  return std::clamp<int64_t>(kAmtCorrelationBytes / bytes, 1, 16);
}

at::Tensor Amt::between(const at::Tensor& first, const at::Tensor& second, AmtTrace* trace) const {
  const at::NoGradGuard no_grad;
  SGF_CHECK(first.sizes() == second.sizes(),
            "AMT needs first and second frames of the same number and size, got [{}] and [{}]",
            fmt::join(first.sizes(), ", "), fmt::join(second.sizes(), ", "));
  check_pictures(second, "AMT");
  if (trace != nullptr) return between_pass(first, second, trace);
  const int64_t count = pairs_per_pass(first);
  const std::vector<at::Tensor> from = first.split(count), to = second.split(count);
  std::vector<at::Tensor> frames;
  for (size_t i = 0; i < from.size(); ++i) frames.push_back(between_pass(from[i], to[i], nullptr));
  return at::cat(frames);
}

Amt load_amt(const std::filesystem::path& path, at::TensorOptions options, AmtSettings settings) {
  const TensorFile file = open_tensor_file(path);
  return Amt(weights_of_file(file, options, prefix_before(file, "feat_encoder.conv1.weight")), settings);
}

}  // namespace sgf
