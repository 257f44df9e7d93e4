// Activation checkpointing: a piece of the network keeps only its inputs, and is recomputed when its gradient is
// needed.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace sgf {

// piece(inputs) -> one tensor; a pure function of its inputs, which include the parameters.
using Piece = std::function<at::Tensor(const std::vector<at::Tensor>& inputs)>;

// The value of piece(inputs), with the same gradients. All inputs must be defined.
at::Tensor recomputed(const Piece& piece, const std::vector<at::Tensor>& inputs);

}  // namespace sgf
