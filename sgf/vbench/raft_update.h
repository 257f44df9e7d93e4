// One iteration of RAFT: the current flow and the correlations around it -> a better flow.
#pragma once

#include "sgf/vbench/convolution.h"

#include <array>

namespace sgf {

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

}  // namespace sgf
