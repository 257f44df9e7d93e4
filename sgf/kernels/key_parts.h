// Dense attention whose keys are split into equal parts, attended to in parallel and joined. Otherwise a few queries
// over many keys leave most GPU processors idle. Without gradient: for rollouts and streams.
#pragma once

#include "sgf/kernels/dense_attention.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace sgf {

// How many parts pay off on a device with this many processors: the fewest that about halve the work of the busiest
// one.
int64_t key_parts(int64_t batch_heads, int64_t queries, int64_t keys, int64_t processors);

// What key_parts returns for this call; 1 if the library kernel does not gain from splitting.
int64_t key_parts_for(const at::Tensor& q, const at::Tensor& k, AttentionBackend backend);

// softmax(q k^T / sqrt(D)) v for q [B, Lq, N, D], k and v [B, Lk, N, D]; `parts` divides Lk.
at::Tensor attention_in_parts(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, AttentionBackend backend,
                              int64_t parts);

// Joins the parts into one softmax: out [B, P, Lq, N, D] and its log-sum-exp [B, P, N, Lq] -> [B, Lq, N, D].
at::Tensor join_parts(const at::Tensor& out, const at::Tensor& lse);
at::Tensor join_parts_reference(const at::Tensor& out, const at::Tensor& lse);

}  // namespace sgf
