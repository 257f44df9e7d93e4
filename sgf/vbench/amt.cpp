#include "sgf/vbench/amt.h"

#include "sgf/core/error.h"
#include "sgf/kernels/gpu_convolutions.h"
#include "sgf/vbench/network_files.h"
#include "sgf/vbench/picture_padding.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sgf {
namespace {

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
