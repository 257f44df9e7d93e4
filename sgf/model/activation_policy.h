// What the backward pass finds of the forward pass. Torch-free; recompute.h computes what was not kept.
#pragma once

#include "sgf/core/enum_names.h"

#include <array>

namespace sgf {

enum class ActivationPolicy {
  kKeepAll,          // every activation stays until the backward pass
  kRecomputeBlocks,  // each block keeps its input and is computed once more
  kKeepAttention,    // the same, but the self-attention's output is kept too and not computed again
};

constexpr auto enum_names(ActivationPolicy) {
  return std::array{EnumName{ActivationPolicy::kKeepAll, "keep"},
                    EnumName{ActivationPolicy::kRecomputeBlocks, "recompute"},
                    EnumName{ActivationPolicy::kKeepAttention, "keep_attention"}};
}

}  // namespace sgf
