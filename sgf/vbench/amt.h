// AMT-S, the network behind motion smoothness: predicts the frame half way between two frames.
#pragma once

#include "sgf/vbench/amt_blocks.h"
#include "sgf/vbench/correlation.h"
#include "sgf/vbench/flow_encoder.h"
#include "sgf/vbench/network_weights.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <filesystem>

namespace sgf {

struct AmtSettings {
  int64_t pairs_per_pass = 0;  // computed together; 0: 1 on a CPU, as many as fit 4 GB of correlations on a GPU
};

// Intermediate values of a prediction on padded frames, for step-by-step comparison.
struct AmtTrace {
  at::Tensor features;  // [B, 84, h, w] of the first frame, at 1/8 of the size
  at::Tensor windows;   // [B, 392, h, w] at the positions of the coarsest flows
  std::array<at::Tensor, 4>
      flows;  // to the first and to the second frame; [0] at full size with three each, [3] at 1/8
};

// Dtype and device are those of its weights. Throws if a side, padded to a multiple of 16, is below 128.
class Amt {
 public:
  explicit Amt(NetworkWeights weights, AmtSettings settings = {});

  // Bytes [B, H, W, 3], RGB, on any device -> the frames in between, [B, 3, H, W] in [0, 1], on the network's device.
  at::Tensor between(const at::Tensor& first, const at::Tensor& second, AmtTrace* trace = nullptr) const;

  int64_t pairs_per_pass(const at::Tensor& pictures) const;
  at::TensorOptions options() const { return options_; }

 private:
  struct Pair;

  at::Tensor between_pass(const at::Tensor& first, const at::Tensor& second, AmtTrace* trace) const;
  at::Tensor windows_at(const Pair& pair, const at::Tensor& flow) const;
  AmtState corrected(const Pair& pair, const AmtUpdate& update, const AmtState& state, at::Tensor* windows) const;
  AmtState decode(const Pair& pair, const AmtDecoder& decoder, const AmtState& state, size_t level) const;
  at::Tensor compose(const Pair& pair, const AmtState& state, AmtTrace* trace) const;

  at::TensorOptions options_;
  AmtSettings settings_;
  FlowEncoder feature_encoder_;
  AmtPyramid pyramid_;
  AmtDecoder decoder4_, decoder3_, decoder2_, decoder1_;
  AmtUpdate update4_, update3_, update2_;
  PreluConvolution combine_first_;
  Convolution combine_second_;
};

// Loads `amt-s.pth` (weights under "state_dict") or any file with these weights.
Amt load_amt(const std::filesystem::path& path, at::TensorOptions options, AmtSettings settings = {});

}  // namespace sgf
