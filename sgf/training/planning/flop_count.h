// Floating-point operations of the network's calls, counted from their shapes; a multiply-add is two. Torch-free.
#pragma once

#include "sgf/context/context_policy.h"
#include "sgf/core/frame_span.h"
#include "sgf/core/patch_grid.h"
#include "sgf/kernels/rectangles.h"
#include "sgf/model/dit_config.h"

#include <cstdint>
#include <vector>

namespace sgf {

// Products with weights, and products between activations.
struct FlopCount {
  double linear = 0;
  double attention = 0;

  double total() const { return linear + attention; }
  FlopCount operator+(const FlopCount& other) const { return {linear + other.linear, attention + other.attention}; }
  FlopCount operator*(double factor) const { return {linear * factor, attention * factor}; }
};

// The sizes of one network call for one sample.
struct CallShape {
  int64_t frames = 0;           // of the sequence: [context | noisy] in a parallel call
  int64_t tokens = 0;           // of the sequence
  int64_t last_tokens = 0;      // tokens with a predicted flow, i.e. noisy ones; 0 if the call only writes the cache
  int64_t visible_tokens = 0;   // most keys per query; includes history in a serial call
  double pairs = 0;             // query-key pairs in a block's self-attention
  double last_pairs = 0;        // in the last block's
  double largest_pairs = 0;     // in one call of the attention kernel
  bool has_text_ready = false;  // the prompt's keys and values are given
};

CallShape bidirectional_call(int64_t frames, const PatchGrid& grid);
// Pass 2, and teacher forcing.
CallShape parallel_call(const ContextPolicy& policy, const BlockLayout& layout, const PatchGrid& grid);
// The same without a clean half.
CallShape block_causal_call(const ContextPolicy& policy, const BlockLayout& layout, const PatchGrid& grid);
// A block against the cache, its prompt ready; a write ends with the last layer's keys and values.
CallShape denoise_call(const ContextPolicy& policy, FrameSpan block, const PatchGrid& grid);
CallShape write_call(const ContextPolicy& policy, FrameSpan block, const PatchGrid& grid);

// Query-key pairs that the rectangles cover.
double covered_pairs(const AttentionRegion& region);

FlopCount forward_flops(const DitConfig& config, const CallShape& call);
// Twice the forward's products with weights (once if the input needs no gradient), and five attention products instead
// of two: the library recomputes the scores.
FlopCount backward_flops(const DitConfig& config, const CallShape& call);
// The part of a recomputed block that runs twice; `with_attention` is false if its self-attention was kept.
FlopCount recomputed_flops(const DitConfig& config, const CallShape& call, bool with_attention);
// The preparation of a prompt for a rollout: its embedding, and keys and values of every layer.
FlopCount prompt_flops(const DitConfig& config);

}  // namespace sgf
