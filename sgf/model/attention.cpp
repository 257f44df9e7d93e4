#include "sgf/model/attention.h"

#include "sgf/kernels/linear_rows.h"
#include "sgf/kernels/norm_rotate.h"
#include "sgf/kernels/rms_norm.h"

#include <ATen/ATen.h>

namespace sgf {

at::Tensor linear(const Linear& layer, const at::Tensor& x) { return linear_rows(x, layer.weight, layer.bias); }

at::Tensor normed_heads(const at::Tensor& x, const at::Tensor& norm_weight, int64_t heads, double eps) {
  return rms_norm(x, norm_weight, eps).unflatten(-1, {heads, -1});
}

KeysValues own_keys_values(const AttentionWeights& weights, const at::Tensor& x, const DitConfig& config) {
  return {normed_heads(linear(weights.k, x), weights.norm_k, config.num_heads, config.eps),
          linear(weights.v, x).unflatten(-1, {config.num_heads, -1})};
}

Projections project(const Linear& qkv, const at::Tensor& x) {
  const auto parts = linear(qkv, x).chunk(3, -1);
  return {parts[0], parts[1], parts[2]};
}

KeysValues own_keys_values(const AttentionWeights& weights, const Projections& projected, const DitConfig& config) {
  return {norm_rotate(projected.k, weights.norm_k, config.eps, config.num_heads, /*table=*/{}),
          projected.v.unflatten(-1, {config.num_heads, -1})};
}

at::Tensor self_attention(const AttentionWeights& weights, const Queries& queries, const KeysValues& visible,
                          const CallPlan& plan, const DitConfig& config, AttentionMemo* memo) {
  const at::Tensor projected = queries.projected.defined() ? queries.projected : linear(weights.q, queries.x);
  const at::Tensor q = norm_rotate(projected, weights.norm_q, config.eps, config.num_heads, queries.rope);
  const at::Tensor out = rectangle_attention(q, visible.keys, visible.values, queries.region, plan.backend, memo);
  return linear(weights.o, out.flatten(2));
}

at::Tensor cross_attention(const AttentionWeights& weights, const at::Tensor& x, const KeysValues& text,
                           AttentionBackend backend, const DitConfig& config) {
  const at::Tensor q = normed_heads(linear(weights.q, x), weights.norm_q, config.num_heads, config.eps);
  const auto region = AttentionRegion::dense(q.size(1), text.keys.size(1));
  return linear(weights.o, rectangle_attention(q, text.keys, text.values, region, backend).flatten(2));
}

}  // namespace sgf
