// One dense attention call with its log-sum-exp, forward and backward, on the library backend asked for.
#pragma once

#include "sgf/kernels/attention_backend.h"

#include <ATen/core/Tensor.h>

#include <string_view>

namespace sgf {

// An unknown name is an Error that says which there are.
AttentionBackend attention_backend_from_name(std::string_view name);

// What `asked` means for this tensor. Throws where the backend can't take it, and says which can.
AttentionBackend resolve_backend(AttentionBackend asked, const at::Tensor& like);

// `out` [B, N, Lq, D] in the inputs' dtype; `lse` [B, N, Lq], float32 or wider: log of the softmax's denominator.
struct DenseAttention {
  at::Tensor out;
  at::Tensor lse;
};

struct DenseAttentionGrad {
  at::Tensor q, k, v;
};

// softmax(q k^T / sqrt(D)) v for q [B, N, Lq, D], k and v [B, N, Lk, D]; any strides with the last dim dense.
DenseAttention dense_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, AttentionBackend backend);

// Gradients given the output and the log-sum-exp. Where these are those of a larger softmax of which the keys are a
// part, the result is that part's exact share of the gradient.
DenseAttentionGrad dense_attention_backward(const at::Tensor& grad_out, const at::Tensor& q, const at::Tensor& k,
                                            const at::Tensor& v, const DenseAttention& forward,
                                            AttentionBackend backend);

}  // namespace sgf
