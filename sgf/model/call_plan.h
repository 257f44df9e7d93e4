// What all layers of one call share: who attends to whom, and at which positions. Made once, before the first layer.
#pragma once

#include "sgf/context/attention_context.h"
#include "sgf/core/patch_grid.h"
#include "sgf/kernels/dense_attention.h"
#include "sgf/kernels/rectangles.h"
#include "sgf/model/rope_table.h"

#include <cstdint>

namespace sgf {

// Whether a serial call only reads the cache, or also stores its block.
enum class SerialCall { kDenoise, kWrite };

struct CallPlan {
  AttentionContext context;
  AttentionBackend backend = AttentionBackend::kAuto;
  SerialCall serial_call = SerialCall::kDenoise;

  int64_t frames = 0;          // frames in the sequence: [context | noisy] in a parallel call
  int64_t context_frames = 0;  // leading frames that only provide keys and values; 0 except in parallel calls
  int64_t tokens_per_frame = 0;

  RopeTable query_rope;  // of the sequence's own frames
  RopeTable key_rope;    // of everything attended to; differs from query_rope only in serial calls
  AttentionRegion region;
  AttentionRegion last_region;  // last layer: only queries of the noisy frames
  RopeTable last_query_rope;

  bool is_parallel() const { return std::holds_alternative<Parallel>(context); }
  int64_t context_tokens() const { return context_frames * tokens_per_frame; }
};

struct CallInput {
  PatchGrid grid;
  int64_t frames;  // of the given latents
  int64_t head_width;
  at::Tensor like;  // dtype and device of the computation
  RopeTables ropes = {};
};

// Throws if the context does not fit the latents.
CallPlan plan_call(const AttentionContext& context, const CallInput& input, AttentionBackend backend,
                   SerialCall serial_call);

// Keys, rotated, and values that the queries of `layer` read: the layer's own, joined with history or read through the
// gradient boundary as the mode says.
KeysValues visible_keys_values(const CallPlan& plan, int64_t layer, const KeysValues& own);

}  // namespace sgf
