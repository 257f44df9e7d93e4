// Self- and cross-attention of a Wan block.
#pragma once

#include "sgf/kernels/rectangle_attention.h"
#include "sgf/model/call_plan.h"
#include "sgf/model/dit_weights.h"
#include "sgf/model/prompt_text.h"

namespace sgf {

at::Tensor linear(const Linear& layer, const at::Tensor& x);

// RMSNorm over the full width, then the split into heads: [B, L, dim] -> [B, L, N, D].
at::Tensor normed_heads(const at::Tensor& x, const at::Tensor& norm_weight, int64_t heads, double eps);

// What a layer writes to the cache: normed but not rotated keys, and values.
KeysValues own_keys_values(const AttentionWeights& weights, const at::Tensor& x, const DitConfig& config);

// q, k and v of x [B, L, dim] before norm and rotation, each [B, L, dim]: slices of one matrix product.
struct Projections {
  at::Tensor q, k, v;
};
Projections project(const Linear& qkv, const at::Tensor& x);

// The same from projections that are computed already.
KeysValues own_keys_values(const AttentionWeights& weights, const Projections& projected, const DitConfig& config);

// The rows that form queries: the whole sequence, or only the noisy rows in the last layer of a parallel call.
struct Queries {
  at::Tensor x;          // [B, L, dim]
  at::Tensor projected;  // their q if it is computed already, else undefined
  const RopeTable& rope;
  const AttentionRegion& region;
};

// `visible` has its keys rotated. [B, L, dim] after the output projection.
at::Tensor self_attention(const AttentionWeights& weights, const Queries& queries, const KeysValues& visible,
                          const CallPlan& plan, const DitConfig& config, AttentionMemo* memo);

at::Tensor cross_attention(const AttentionWeights& weights, const at::Tensor& x, const KeysValues& text,
                           AttentionBackend backend, const DitConfig& config);

}  // namespace sgf
