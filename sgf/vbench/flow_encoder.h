// The encoder of RAFT and AMT: frames to features at 1/8 of their size.
#pragma once

#include "sgf/vbench/convolution.h"

#include <array>
#include <optional>
#include <vector>

namespace sgf {

enum class EncoderNorm {
  kInstance,  // normalises each channel of each frame by its own mean and deviation; no weights
  kBatch,     // uses the statistics of training, folded into the convolutions
};

enum class EncoderBlock {
  kResidual,    // two 3x3 convolutions
  kBottleneck,  // 1x1 to a quarter of the width, 3x3, then 1x1 back
};

struct FlowEncoderPlan {
  std::array<int64_t, 3> widths{};  // of the three layers; the first convolution has the width of the first layer
  int64_t out = 0;
  EncoderNorm norm = EncoderNorm::kInstance;
  EncoderBlock block = EncoderBlock::kResidual;
};

class FlowEncoder {
 public:
  FlowEncoder(NetworkWeights& weights, const std::string& name, const FlowEncoderPlan& plan);

  // [N, 3, H, W] -> [N, out, H / 8, W / 8]
  at::Tensor operator()(const at::Tensor& planes) const;

 private:
  struct Block {
    std::vector<Convolution> steps;
    std::optional<Convolution> shortcut;  // if the size changes
  };

  Convolution take(NetworkWeights& weights, const std::string& name, const std::string& norm,
                   const ConvolutionShape& shape) const;
  Block take_block(NetworkWeights& weights, const std::string& name, int64_t in, int64_t out, int64_t stride) const;
  at::Tensor normed(const Convolution& convolution, const at::Tensor& x) const;
  at::Tensor run(const Block& block, const at::Tensor& x) const;

  FlowEncoderPlan plan_;
  Convolution first_, last_;
  std::vector<Block> blocks_;
};

}  // namespace sgf
