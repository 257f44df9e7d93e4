// RAFT, the network behind dynamic degree and the static filter: how far every pixel moves from one picture to another.
#pragma once

#include "sgf/vbench/correlation.h"
#include "sgf/vbench/flow_encoder.h"
#include "sgf/vbench/network_weights.h"
#include "sgf/vbench/raft_update.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>

namespace sgf {

struct RaftSettings {
  int64_t iterations = 20;     // VBench's
  int64_t pairs_per_pass = 0;  // computed together; 0: one on a CPU, on a GPU as many as 4 GB of correlations hold
};

// The flow of pairs of pictures, in pixels, x before y.
struct RaftFlow {
  at::Tensor low;   // [B, 2, h, w], at an eighth of the size and in its pixels
  at::Tensor full;  // [B, 2, H, W] of the padded pictures
};

// Dtype and device are those of its weights. Pictures are bytes [N, H, W, 3], RGB, anywhere; they are padded to
// multiples of 8, and flows are those of the padded pictures, as VBench scores them. Throws where a padded side is
// below 128.
class Raft {
 public:
  explicit Raft(NetworkWeights weights, RaftSettings settings = {});

  // Flows [B, 2, H, W] from each picture of `first` to that of `second`.
  at::Tensor flow(const at::Tensor& first, const at::Tensor& second) const;
  // Flows [F - 1, 2, H, W] between consecutive pictures; features of each are computed once.
  at::Tensor flows_of_sequence(const at::Tensor& pictures) const;

  // The parts, for those who keep features: of a picture on either side of a pair, of its first picture, and the flow
  // between such.
  at::Tensor features(const at::Tensor& pictures) const;  // [N, 256, h, w]
  at::Tensor context(const at::Tensor& pictures) const;   // [N, 256, h, w]: hidden state and input, as they come
  RaftFlow flow_of_features(const at::Tensor& first, const at::Tensor& second, const at::Tensor& context) const;
  CorrelationPyramid correlation(const at::Tensor& first, const at::Tensor& second) const;

  // How many pairs of such pictures are computed together.
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

// Flows between consecutive pictures of a video that comes in pieces: the last picture's features are kept.
class FlowSequence {
 public:
  explicit FlowSequence(const Raft& raft) : raft_(raft) {}

  // [n, 2, H, W]: from the last picture of the piece before to the first of this one, and on. A first piece of n
  // pictures gives n - 1 flows.
  at::Tensor next(const at::Tensor& pictures);

 private:
  at::Tensor next_pass(const at::Tensor& pictures);

  const Raft& raft_;
  at::Tensor features_, context_;  // of the last picture
};

// From `raft-things.pth` (names begin with "module.") or any file with these weights.
Raft load_raft(const std::filesystem::path& path, at::TensorOptions options, RaftSettings settings = {});

// Mean of the largest magnitudes of each flow [B, 2, H, W] -> [B], float64 on the CPU. The share is `kDynamicShare` or
// `kStaticShare`.
at::Tensor flow_scores(const at::Tensor& flows, double share);
constexpr double kDynamicShare = 0.05;
constexpr double kStaticShare = 0.02;

}  // namespace sgf
