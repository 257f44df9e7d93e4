// One dense attention call with its log-sum-exp, forward and backward, on the requested library backend.
#pragma once

#include "sgf/kernels/attention_backend.h"

#include <ATen/core/Tensor.h>

#include <string_view>

namespace sgf {

// Throws Error for an unknown name and lists the known ones.
AttentionBackend attention_backend_from_name(std::string_view name);

// The backend that `asked` stands for with this tensor. Throws Error if it does not support the tensor, and names
// alternatives.
AttentionBackend resolve_backend(AttentionBackend asked, const at::Tensor& like);

// `out` [B, N, Lq, D] in the inputs' dtype; `lse` [B, N, Lq], float32 or wider: log of the softmax denominator.
struct DenseAttention {
  at::Tensor out;
  at::Tensor lse;
};

struct DenseAttentionGrad {
  at::Tensor q, k, v;
};

// softmax(q k^T / sqrt(D)) v for q [B, N, Lq, D], k and v [B, N, Lk, D]; any strides with a dense last dim.
DenseAttention dense_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, AttentionBackend backend);

// Gradients given the output and the log-sum-exp. If these come from a larger softmax of which the keys are a part, the
// result is exactly that part's share of the gradient.
DenseAttentionGrad dense_attention_backward(const at::Tensor& grad_out, const at::Tensor& q, const at::Tensor& k,
                                            const at::Tensor& v, const DenseAttention& forward,
                                            AttentionBackend backend);

}  // namespace sgf
