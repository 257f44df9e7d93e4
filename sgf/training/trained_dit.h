// A network under training: float32 master weights, and the copy in the compute dtype that forwards run on.
#pragma once

#include "sgf/model/causal_dit.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace sgf {

class TrainedDit {
 public:
  // `masters` are float32 (float64 in tests). Where `compute` is their own dtype both share memory.
  TrainedDit(const DitConfig& config, const DitWeights& masters, at::ScalarType compute, DitOptions options);

  const CausalDit& network() const { return network_; }

  // Masters under the official names: what the optimiser updates and checkpoints hold.
  const NamedTensors& masters() const { return masters_; }

  // Gradients of `loss` by every weight, in the order and dtype of the masters; zeros where none arrives.
  std::vector<at::Tensor> gradients(const at::Tensor& loss) const;

  // Brings the compute copy up to date after the masters have changed.
  void sync();

 private:
  NamedTensors masters_;
  CausalDit network_;
  std::vector<at::Tensor> weights_;  // the network's, in the order of the masters
};

// The same network with other weights, masters under official names; its own memory.
CausalDit with_weights(const CausalDit& like, const NamedTensors& masters);

// Puts other weights into a network's own memory, where recorded launches find them.
void set_weights(const CausalDit& dit, const NamedTensors& masters);

}  // namespace sgf
