// Attention over a union of dense rectangles: the library's dense kernels on each, merged by log-sum-exp.
// No mask or bias of size L x L is ever built.
#pragma once

#include "sgf/kernels/dense_attention.h"
#include "sgf/kernels/rectangles.h"

#include <optional>

namespace sgf {

// The result of one attention call, kept so that recomputing the same call can skip the work. The first call fills it,
// the second takes it out.
class AttentionMemo {
 public:
  std::optional<DenseAttention> take();
  void keep(const DenseAttention& result) { kept_ = result; }

 private:
  std::optional<DenseAttention> kept_;
};

// q [B, Lq, N, D], k and v [B, Lk, N, D] -> [B, Lq, N, D]. Differentiable in q, k and v. A query that no rectangle
// covers gives zeros.
at::Tensor rectangle_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                               const AttentionRegion& region, AttentionBackend backend, AttentionMemo* memo = nullptr);

// Plain reference: one masked softmax over the dense L x L scores, differentiated by autograd.
at::Tensor masked_attention_reference(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                      const at::Tensor& visible);  // bool [Lq, Lk]

// The region as a bool matrix [Lq, Lk], for the reference.
at::Tensor dense_mask(const AttentionRegion& region);

}  // namespace sgf
