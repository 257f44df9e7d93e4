// What the forward pass keeps for the backward pass. Torch-free; recompute.h computes the rest again.
#pragma once

#include "sgf/core/enum_names.h"

#include <array>

namespace sgf {

enum class ActivationPolicy {
  kKeepAll,          // keeps every activation until the backward pass
  kRecomputeBlocks,  // activation checkpointing: each block keeps its input and is recomputed
  kKeepAttention,    // the same, but the self-attention output is also kept and not recomputed
};

constexpr auto enum_names(ActivationPolicy) {
  return std::array{EnumName{ActivationPolicy::kKeepAll, "keep"},
                    EnumName{ActivationPolicy::kRecomputeBlocks, "recompute"},
                    EnumName{ActivationPolicy::kKeepAttention, "keep_attention"}};
}

}  // namespace sgf
