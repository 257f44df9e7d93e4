#include "sgf/vbench/raft.h"

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

constexpr int64_t kRaftGru = 128;         // channels of the hidden state, the context and the motion
constexpr int64_t kRaftWindows = 4 * 81;  // levels, window of radius 4
constexpr int64_t kEnlargement = 8;

// The same convolution for some of its input channels, without the bias.
Convolution only_inputs(const Convolution& convolution, const std::vector<at::Tensor>& weights) {
  return {.weight = in_layout(at::cat(weights, 1)), .bias = {}, .stride = convolution.stride};
}

constexpr int64_t kRaftLevels = 4;
constexpr int64_t kRaftMultiple = 8;  // features have 1/8 of the frame's sides
constexpr int64_t kRaftHidden = 128;
constexpr int64_t kCorrelationBytes = int64_t{4} << 30;  // limit for the pairs of one pass on a GPU

FlowEncoderPlan encoder_plan(EncoderNorm norm) { return {.widths = {64, 96, 128}, .out = 256, .norm = norm}; }

void check_same_size(const at::Tensor& first, const at::Tensor& second) {
  SGF_CHECK(first.sizes() == second.sizes(),
            "RAFT needs first and second frames of the same number and size, got [{}] and [{}]",
            fmt::join(first.sizes(), ", "), fmt::join(second.sizes(), ", "));
}

}  // namespace

RaftUpdate::RaftUpdate(NetworkWeights& weights)
    : windows_first_(take_convolution(weights, "update_block.encoder.convc1",
                                      {.in = kRaftWindows, .out = 256, .height = 1, .width = 1})),
      windows_second_(take_convolution(weights, "update_block.encoder.convc2", {.in = 256, .out = 192})),
      flow_first_(
          take_convolution(weights, "update_block.encoder.convf1", {.in = 2, .out = 128, .height = 7, .width = 7})),
      flow_second_(take_convolution(weights, "update_block.encoder.convf2", {.in = 128, .out = 64})),
      joined_(take_convolution(weights, "update_block.encoder.conv", {.in = 256, .out = kRaftGru - 2})),
      gates_{take_gate(weights, 1), take_gate(weights, 2)},
      change_first_(take_convolution(weights, "update_block.flow_head.conv1", {.in = kRaftGru, .out = 256})),
      change_second_(take_convolution(weights, "update_block.flow_head.conv2", {.in = 256, .out = 2})),
      mix_first_(take_convolution(weights, "update_block.mask.0", {.in = kRaftGru, .out = 256})),
      mix_second_(take_convolution(weights, "update_block.mask.2",
                                   {.in = 256, .out = 9 * kEnlargement * kEnlargement, .height = 1, .width = 1})) {}

// The original's convolutions take [hidden, context, motion]; the first unit runs along rows.
RaftUpdate::Gate RaftUpdate::take_gate(NetworkWeights& weights, int64_t direction) {
  const auto take = [&](const char* name) {
    return take_convolution(
        weights, fmt::format("update_block.gru.conv{}{}", name, direction),
        {.in = 3 * kRaftGru, .out = kRaftGru, .height = direction == 1 ? 1 : 5, .width = direction == 1 ? 5 : 1});
  };
  const Convolution update = take("z"), reset = take("r"), candidate = take("q");
  const at::Tensor both = at::cat({update.weight, reset.weight});
  const auto part = [](const at::Tensor& weight, int64_t index) {
    return weight.narrow(1, index * kRaftGru, kRaftGru);
  };
  return {.context = {.weight = in_layout(at::cat({part(both, 1), part(candidate.weight, 1)})),
                      .bias = at::cat({update.bias, reset.bias, candidate.bias})},
          .update_and_reset = only_inputs(update, {part(both, 0), part(both, 2)}),
          .candidate = only_inputs(candidate, {part(candidate.weight, 0), part(candidate.weight, 2)})};
}

RaftUpdate::Context RaftUpdate::prepare(const at::Tensor& input) const {
  return {{gates_[0].context(input), gates_[1].context(input)}};
}

at::Tensor RaftUpdate::motion(const at::Tensor& flow, const at::Tensor& windows) const {
  const at::Tensor seen = windows_second_(windows_first_(in_layout(windows)).relu_()).relu_();
  const at::Tensor moved = flow_second_(flow_first_(in_layout(flow)).relu_()).relu_();
  return at::cat({joined_(at::cat({seen, moved}, 1)).relu_(), flow}, 1);
}

at::Tensor RaftUpdate::run(const Gate& gate, const at::Tensor& context, const at::Tensor& hidden,
                           const at::Tensor& motion) const {
  const at::Tensor gates = gate.update_and_reset(at::cat({hidden, motion}, 1));
  const at::Tensor open = gates.add_(context.narrow(1, 0, 2 * kRaftGru)).sigmoid_();
  const at::Tensor kept = hidden * open.narrow(1, kRaftGru, kRaftGru);
  const at::Tensor candidate =
      gate.candidate(at::cat({kept, motion}, 1)).add_(context.narrow(1, 2 * kRaftGru, kRaftGru));
  return at::lerp(hidden, candidate.tanh_(), open.narrow(1, 0, kRaftGru));
}

at::Tensor RaftUpdate::step(const at::Tensor& hidden, const Context& context, const at::Tensor& flow,
                            const at::Tensor& windows) const {
  const at::Tensor moved = motion(flow, windows);
  const at::Tensor along_rows = run(gates_[0], context.gates[0], hidden, moved);
  return run(gates_[1], context.gates[1], along_rows, moved);
}

at::Tensor RaftUpdate::flow_change(const at::Tensor& hidden) const {
  return change_second_(change_first_(hidden).relu_());
}

at::Tensor RaftUpdate::enlarge(const at::Tensor& flow, const at::Tensor& hidden) const {
  const int64_t batch = flow.size(0), height = flow.size(2), width = flow.size(3), n = kEnlargement;
  const at::Tensor logits = mix_second_(mix_first_(hidden).relu_()) * 0.25;
  const at::Tensor mix = logits.reshape({batch, 1, 9, n, n, height, width}).softmax(2);
  const at::Tensor neighbours = at::im2col(flow * static_cast<double>(n), {3, 3}, {1, 1}, {1, 1}, {1, 1});
  const at::Tensor mixed = (mix * neighbours.view({batch, 2, 9, 1, 1, height, width})).sum(2);
  return mixed.permute({0, 1, 4, 2, 5, 3}).reshape({batch, 2, n * height, n * width});
}

Raft::Raft(NetworkWeights weights, RaftSettings settings)
    : options_(weights.options()),
      settings_(settings),
      feature_encoder_(weights, "fnet", encoder_plan(EncoderNorm::kInstance)),
      context_encoder_(weights, "cnet", encoder_plan(EncoderNorm::kBatch)),
      update_(weights) {
  SGF_CHECK(settings.iterations > 0 && settings.pairs_per_pass >= 0,
            "RAFT needs at least 1 iteration and no negative number of pairs per pass, got {} and {}",
            settings.iterations, settings.pairs_per_pass);
  check_tells_pixels_apart(options_, "RAFT");
  weights.finish("RAFT");
}

at::Tensor Raft::planes(const at::Tensor& pictures) const {
  const PicturePadding padding = pyramid_padding(pictures, kRaftMultiple, "RAFT");
  return padding.pad(picture_planes(pictures, options_)) / 255 * 2 - 1;
}

at::Tensor Raft::features(const at::Tensor& pictures) const {
  const at::NoGradGuard no_grad;
  const at::Tensor x = planes(pictures);
  const GpuConvolutions convolutions(x, /*tries=*/true);
  return feature_encoder_(x);
}

at::Tensor Raft::context(const at::Tensor& pictures) const {
  const at::NoGradGuard no_grad;
  const at::Tensor x = planes(pictures);
  const GpuConvolutions convolutions(x, /*tries=*/true);
  return context_encoder_(x);
}

CorrelationPyramid Raft::correlation(const at::Tensor& first, const at::Tensor& second) const {
  return CorrelationPyramid(first, second, kRaftLevels);
}

RaftFlow Raft::flow_of_features(const at::Tensor& first, const at::Tensor& second, const at::Tensor& context) const {
  const at::NoGradGuard no_grad;
  const GpuConvolutions convolutions(first, /*tries=*/true);
  const CorrelationPyramid pyramid = correlation(first, second);
  const RaftUpdate::Context prepared = update_.prepare(in_layout(context.narrow(1, kRaftHidden, kRaftHidden).relu()));
  at::Tensor hidden = in_layout(context.narrow(1, 0, kRaftHidden).tanh());
  const at::Tensor grid = grid_of_places(first.size(2), first.size(3), first.options());
  at::Tensor flow = at::zeros({first.size(0), 2, first.size(2), first.size(3)}, first.options());
  for (int64_t i = 0; i < settings_.iterations; ++i) {
    hidden = update_.step(hidden, prepared, flow, pyramid.look_up(grid + flow, kRadius));
    flow = flow + update_.flow_change(hidden);
  }
  return {.low = flow, .full = update_.enlarge(flow, hidden)};
}

int64_t Raft::pairs_per_pass(const at::Tensor& pictures) const {
  if (settings_.pairs_per_pass > 0) return settings_.pairs_per_pass;
  if (options_.device().is_cpu()) return 1;
  const PicturePadding padding = pyramid_padding(pictures, kRaftMultiple, "RAFT");
  const int64_t bytes =
      correlation_bytes(padding.padded_height() / kRaftMultiple, padding.padded_width() / kRaftMultiple, kRaftLevels,
                        static_cast<int64_t>(options_.dtype().itemsize()));
  return std::clamp<int64_t>(kCorrelationBytes / bytes, 1, 32);
}

at::Tensor Raft::flow(const at::Tensor& first, const at::Tensor& second) const {
  check_same_size(first, second);
  const int64_t count = pairs_per_pass(first);
  const std::vector<at::Tensor> from = first.split(count), to = second.split(count);
  std::vector<at::Tensor> flows;
  for (size_t i = 0; i < from.size(); ++i)
    flows.push_back(flow_of_features(features(from[i]), features(to[i]), context(from[i])).full);
  return at::cat(flows);
}

at::Tensor Raft::flows_of_sequence(const at::Tensor& pictures) const { return FlowSequence(*this).next(pictures); }

at::Tensor FlowSequence::next(const at::Tensor& pictures) {
  std::vector<at::Tensor> flows;
  for (const at::Tensor& some : pictures.split(raft_.pairs_per_pass(pictures))) flows.push_back(next_pass(some));
  return at::cat(flows);
}

at::Tensor FlowSequence::next_pass(const at::Tensor& pictures) {
  at::Tensor features = raft_.features(pictures), context = raft_.context(pictures);
  if (features_.defined()) {
    SGF_CHECK(features.sizes().slice(1) == features_.sizes().slice(1),
              "all frames of a video must have the same size, but these are {}x{} and earlier ones are not",
              pictures.size(1), pictures.size(2));
    features = at::cat({features_, features});
    context = at::cat({context_, context});
  }
  const int64_t pairs = features.size(0) - 1;
  features_ = features.narrow(0, pairs, 1).clone();
  context_ = context.narrow(0, pairs, 1).clone();
  if (pairs == 0)
    return at::empty({0, 2, features.size(2) * kRaftMultiple, features.size(3) * kRaftMultiple}, features.options());
  return raft_.flow_of_features(features.narrow(0, 0, pairs), features.narrow(0, 1, pairs), context.narrow(0, 0, pairs))
      .full;
}

Raft load_raft(const std::filesystem::path& path, at::TensorOptions options, RaftSettings settings) {
  const TensorFile file = open_tensor_file(path);
  return Raft(weights_of_file(file, options, prefix_before(file, "fnet.conv1.weight")), settings);
}

at::Tensor flow_scores(const at::Tensor& flows, double share) {
  const at::Tensor magnitudes = flows.square().sum(1).sqrt().flatten(1);
  const int64_t count = static_cast<int64_t>(static_cast<double>(magnitudes.size(1)) * share);
  SGF_CHECK(count > 0, "{} pixels are too few for a share of {}", magnitudes.size(1), share);
  return std::get<0>(magnitudes.topk(count, 1, /*largest=*/true, /*sorted=*/false)).mean(1, false, at::kDouble).cpu();
}

}  // namespace sgf
