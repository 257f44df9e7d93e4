// A network in training: float32 master weights, and a copy in the compute dtype for forwards.
#pragma once

#include "sgf/model/causal_dit.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace sgf {

class TrainedDit {
 public:
  // `masters` are float32 (float64 in tests). If `compute` equals their dtype, both share memory.
  TrainedDit(const DitConfig& config, const DitWeights& masters, at::ScalarType compute, DitOptions options);

  const CausalDit& network() const { return network_; }

  // Masters under the official names, as the optimiser updates and checkpoints store them.
  const NamedTensors& masters() const { return masters_; }

  // Gradients of `loss` for every weight, in the order and dtype of the masters; zeros for unused weights.
  std::vector<at::Tensor> gradients(const at::Tensor& loss) const;

  // Updates the compute copy after the masters have changed.
  void sync();

 private:
  NamedTensors masters_;
  CausalDit network_;
  std::vector<at::Tensor> weights_;  // the network's, in the order of the masters
};

// The same network with other weights, given under official names, in its own memory.
CausalDit with_weights(const CausalDit& like, const NamedTensors& masters);

// Copies other weights into a network's existing memory, which recorded launches use.
void set_weights(const CausalDit& dit, const NamedTensors& masters);

}  // namespace sgf
