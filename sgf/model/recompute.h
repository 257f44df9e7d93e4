// Activation checkpointing: a piece of the network keeps its inputs alone, and runs again when its gradient is wanted.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string_view>
#include <vector>

namespace sgf {

enum class ActivationPolicy {
  kKeepAll,          // every activation stays until the backward pass
  kRecomputeBlocks,  // each block keeps its input and is computed once more
  kKeepAttention,    // the same, but the self-attention's output is kept too and not computed again
};

// "keep", "recompute", "keep-attention".
std::string_view name_of(ActivationPolicy policy);
ActivationPolicy activation_policy_from_name(std::string_view name);

// piece(inputs) -> one tensor; a pure function of its inputs, parameters among them.
using Piece = std::function<at::Tensor(const std::vector<at::Tensor>& inputs)>;

// The value of piece(inputs), with the same gradients. All inputs are defined.
at::Tensor recomputed(const Piece& piece, const std::vector<at::Tensor>& inputs);

}  // namespace sgf
