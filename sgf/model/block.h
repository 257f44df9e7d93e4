// One Wan block: modulated self-attention, cross-attention to the text, modulated FFN.
#pragma once

#include "sgf/kernels/rectangle_attention.h"
#include "sgf/model/call_plan.h"
#include "sgf/model/dit_weights.h"
#include "sgf/model/prompt_text.h"

namespace sgf {

// The inputs of a block.
struct BlockInput {
  at::Tensor x;                 // [B, F * L, dim]
  at::Tensor modulation;        // [B, F, 6, dim], from the timestep, wide
  at::Tensor text;              // [B, text_len, dim]
  KeysValues text_keys_values;  // cross-attention K and V of the prompt, or undefined: computed here
};

// The position of the block in the network.
struct BlockPlace {
  int64_t layer = 0;
  bool is_last = false;
  AttentionMemo* memo = nullptr;  // keeps its self-attention between two runs, if set
};

// [B, F * L, dim]. The last block of a parallel call returns only the noisy frames, because the others are not needed.
// The last block of a write call returns nothing: writing its keys and values to the cache was its only purpose.
at::Tensor block_forward(const BlockWeights& weights, const BlockInput& input, const CallPlan& plan, BlockPlace place,
                         const DitConfig& config);

}  // namespace sgf
