#include "sgf/vbench/raft_update.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

namespace sgf {
namespace {

constexpr int64_t kRaftGru = 128;         // channels of the hidden state, the context and the motion
constexpr int64_t kRaftWindows = 4 * 81;  // levels, window of radius 4
constexpr int64_t kEnlargement = 8;

// The same convolution for some of its input channels, without the bias.
Convolution only_inputs(const Convolution& convolution, const std::vector<at::Tensor>& weights) {
  return {.weight = in_layout(at::cat(weights, 1)), .bias = {}, .stride = convolution.stride};
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

}  // namespace sgf
