// RAFT, the network behind dynamic degree and the static filter: how far every pixel moves from one frame to another.
#pragma once

#include "sgf/vbench/convolution.h"
#include "sgf/vbench/correlation.h"
#include "sgf/vbench/flow_encoder.h"
#include "sgf/vbench/network_weights.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <filesystem>

namespace sgf {

// One iteration of RAFT: the current flow and the correlations around it -> a better flow.
class RaftUpdate {
 public:
  explicit RaftUpdate(NetworkWeights& weights);

  // What the context features add to the gates: the same in every iteration, so it is computed once.
  struct Context {
    std::array<at::Tensor, 2> gates;  // [B, 3 * 128, h, w] for each direction: update, reset, candidate
  };
  Context prepare(const at::Tensor& input) const;  // [B, 128, h, w]

  // The next hidden state [B, 128, h, w] from this one, the flow [B, 2, h, w] and its windows [B, 324, h, w].
  at::Tensor step(const at::Tensor& hidden, const Context& context, const at::Tensor& flow,
                  const at::Tensor& windows) const;

  at::Tensor flow_change(const at::Tensor& hidden) const;  // [B, 2, h, w]

  // The flow at eight times the size: each pixel is a mix of nine neighbours, with weights from the hidden state.
  at::Tensor enlarge(const at::Tensor& flow, const at::Tensor& hidden) const;  // [B, 2, 8 h, 8 w]

 private:
  // A gated unit with convolutions along one axis. Weights are split by their inputs.
  struct Gate {
    Convolution context;           // for all three gates
    Convolution update_and_reset;  // for hidden state and motion
    Convolution candidate;         // likewise
  };

  static Gate take_gate(NetworkWeights& weights, int64_t direction);
  at::Tensor motion(const at::Tensor& flow, const at::Tensor& windows) const;
  at::Tensor run(const Gate& gate, const at::Tensor& context, const at::Tensor& hidden, const at::Tensor& motion) const;

  Convolution windows_first_, windows_second_, flow_first_, flow_second_, joined_;
  std::array<Gate, 2> gates_;
  Convolution change_first_, change_second_;
  Convolution mix_first_, mix_second_;
};

struct RaftSettings {
  int64_t iterations = 20;     // VBench's value
  int64_t pairs_per_pass = 0;  // computed together; 0: 1 on a CPU, as many as fit 4 GB of correlations on a GPU
};

// The flow between pairs of frames, in pixels, x before y.
struct RaftFlow {
  at::Tensor low;   // [B, 2, h, w], at 1/8 of the size, in pixels of that size
  at::Tensor full;  // [B, 2, H, W] for the padded frames
};

// Dtype and device are those of its weights. Frames are bytes [N, H, W, 3], RGB, on any device. They are padded to
// multiples of 8, and flows are those of the padded frames, as VBench scores them. Throws if a padded side is below
// 128.
class Raft {
 public:
  explicit Raft(NetworkWeights weights, RaftSettings settings = {});

  // Flows [B, 2, H, W] from each frame of `first` to that of `second`.
  at::Tensor flow(const at::Tensor& first, const at::Tensor& second) const;
  // Flows [F - 1, 2, H, W] between consecutive frames; the features of each frame are computed once.
  at::Tensor flows_of_sequence(const at::Tensor& pictures) const;

  // The parts, for callers that keep features: features of any frame of a pair, context of its first frame, and the
  // flow between them.
  at::Tensor features(const at::Tensor& pictures) const;  // [N, 256, h, w]
  at::Tensor context(
      const at::Tensor& pictures) const;  // [N, 256, h, w]: hidden state and input, before their activations
  RaftFlow flow_of_features(const at::Tensor& first, const at::Tensor& second, const at::Tensor& context) const;
  CorrelationPyramid correlation(const at::Tensor& first, const at::Tensor& second) const;

  // How many pairs of such frames are computed together.
  int64_t pairs_per_pass(const at::Tensor& pictures) const;
  at::TensorOptions options() const { return options_; }

  static constexpr int64_t kRadius = 4;  // of the windows

 private:
  at::Tensor planes(const at::Tensor& pictures) const;

  at::TensorOptions options_;
  RaftSettings settings_;
  FlowEncoder feature_encoder_, context_encoder_;
  RaftUpdate update_;
};

// Flows between consecutive frames of a video that comes in pieces: the last frame's features are kept.
class FlowSequence {
 public:
  explicit FlowSequence(const Raft& raft) : raft_(raft) {}

  // [n, 2, H, W]: from the last frame of the previous piece to the first of this one, and so on. A first piece of n
  // frames gives n - 1 flows.
  at::Tensor next(const at::Tensor& pictures);

 private:
  at::Tensor next_pass(const at::Tensor& pictures);

  const Raft& raft_;
  at::Tensor features_, context_;  // of the last frame
};

// Loads `raft-things.pth` (names start with "module.") or any file with these weights.
Raft load_raft(const std::filesystem::path& path, at::TensorOptions options, RaftSettings settings = {});

// The mean of the largest magnitudes of each flow [B, 2, H, W] -> [B], float64 on the CPU. The share is `kDynamicShare`
// or `kStaticShare`.
at::Tensor flow_scores(const at::Tensor& flows, double share);
constexpr double kDynamicShare = 0.05;
constexpr double kStaticShare = 0.02;

}  // namespace sgf
