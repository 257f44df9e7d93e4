// One Wan block: modulated self-attention, cross-attention to the text, modulated FFN.
#pragma once

#include "sgf/kernels/rectangle_attention.h"
#include "sgf/model/call_plan.h"
#include "sgf/model/dit_weights.h"
#include "sgf/model/prompt_text.h"

namespace sgf {

// What flows into a block.
struct BlockInput {
  at::Tensor x;                 // [B, F * L, dim]
  at::Tensor modulation;        // [B, F, 6, dim], from the timestep, wide
  at::Tensor text;              // [B, text_len, dim]
  KeysValues text_keys_values;  // cross-attention K and V of the prompt, or undefined: computed here
};

// Where the block stands.
struct BlockPlace {
  int64_t layer = 0;
  bool is_last = false;
  AttentionMemo* memo = nullptr;  // where its self-attention is kept between two runs, if anywhere
};

// [B, F * L, dim]. The last block of a parallel call returns the noisy frames alone: nobody reads the others. The last
// block of a write call returns nothing: its keys and values are in the cache, and that was all it was for.
at::Tensor block_forward(const BlockWeights& weights, const BlockInput& input, const CallPlan& plan, BlockPlace place,
                         const DitConfig& config);

}  // namespace sgf
