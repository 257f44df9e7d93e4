// Activation checkpointing: a piece of the network keeps its inputs alone, and runs again when its gradient is wanted.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace sgf {

// piece(inputs) -> one tensor; a pure function of its inputs, parameters among them.
using Piece = std::function<at::Tensor(const std::vector<at::Tensor>& inputs)>;

// The value of piece(inputs), with the same gradients. All inputs are defined.
at::Tensor recomputed(const Piece& piece, const std::vector<at::Tensor>& inputs);

}  // namespace sgf
