#include "sgf/kernels/dense_attention.h"

#include "sgf/core/error.h"
#include "sgf/kernels/wide.h"

#include <ATen/ATen.h>

#include <cmath>

namespace sgf {
namespace {

bool is_half(const at::Tensor& t) { return t.scalar_type() == at::kBFloat16 || t.scalar_type() == at::kHalf; }

double softmax_scale(const at::Tensor& q) { return 1.0 / std::sqrt(static_cast<double>(q.size(-1))); }

DenseAttention math_forward(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
  const at::Tensor scores = at::matmul(wide(q), wide(k).transpose(-1, -2)) * softmax_scale(q);
  const at::Tensor lse = at::logsumexp(scores, -1);
  const at::Tensor out = at::matmul((scores - lse.unsqueeze(-1)).exp(), wide(v));
  return {out.to(q.scalar_type()), lse};
}

DenseAttentionGrad math_backward(const at::Tensor& grad_out, const at::Tensor& q, const at::Tensor& k,
                                 const at::Tensor& v, const DenseAttention& forward) {
  const at::Tensor g = wide(grad_out), qw = wide(q), kw = wide(k), vw = wide(v);
  const at::Tensor p = (at::matmul(qw, kw.transpose(-1, -2)) * softmax_scale(q) - forward.lse.unsqueeze(-1)).exp();
  const at::Tensor delta = (g * wide(forward.out)).sum(-1, /*keepdim=*/true);
  const at::Tensor ds = p * (at::matmul(g, vw.transpose(-1, -2)) - delta) * softmax_scale(q);
  const auto dtype = q.scalar_type();
  return {at::matmul(ds, kw).to(dtype), at::matmul(ds.transpose(-1, -2), qw).to(dtype),
          at::matmul(p.transpose(-1, -2), g).to(dtype)};
}

// Dropout is never used, but the backward calls require its generator state.
at::Tensor no_dropout_state(const at::Tensor& like) { return at::zeros({}, like.options().dtype(at::kLong)); }

DenseAttention cudnn_forward(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
  const auto r = at::_scaled_dot_product_cudnn_attention(q, k, v, std::nullopt, /*compute_log_sumexp=*/true);
  return {std::get<0>(r), std::get<1>(r).reshape({q.size(0), q.size(1), q.size(2)})};
}

// cuDNN stores its log-sum-exp as [B, N, L, 1].
DenseAttentionGrad cudnn_backward(const at::Tensor& grad_out, const at::Tensor& q, const at::Tensor& k,
                                  const at::Tensor& v, const DenseAttention& forward) {
  const at::Tensor state = no_dropout_state(q), none;
  const auto [dq, dk, dv] = at::_scaled_dot_product_cudnn_attention_backward(
      grad_out, q, k, v, forward.out, forward.lse.unsqueeze(-1).contiguous(), state, state, none, none, none, q.size(2),
      k.size(2), 0.0, false);
  return {dq, dk, dv};
}

DenseAttention flash_forward(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
  if (q.is_cuda()) {
    const auto r = at::_scaled_dot_product_flash_attention(q, k, v);
    return {std::get<0>(r), std::get<1>(r)};
  }
  const auto [out, lse] = at::_scaled_dot_product_flash_attention_for_cpu(q, k, v);
  return {out, lse};
}

DenseAttentionGrad flash_backward(const at::Tensor& grad_out, const at::Tensor& q, const at::Tensor& k,
                                  const at::Tensor& v, const DenseAttention& forward) {
  if (q.is_cuda()) {
    const at::Tensor state = no_dropout_state(q), none;
    const auto [dq, dk, dv] =
        at::_scaled_dot_product_flash_attention_backward(grad_out, q, k, v, forward.out, forward.lse.contiguous(), none,
                                                         none, q.size(2), k.size(2), 0.0, false, state, state);
    return {dq, dk, dv};
  }
  const auto [dq, dk, dv] =
      at::_scaled_dot_product_flash_attention_for_cpu_backward(grad_out, q, k, v, forward.out, forward.lse, 0.0, false);
  return {dq, dk, dv};
}

}  // namespace

AttentionBackend attention_backend_from_name(std::string_view name) {
  const auto found = enum_from_name<AttentionBackend>(name);
  SGF_CHECK(found, "attention backend must be auto, cudnn, flash or math, got '{}'", name);
  return *found;
}

AttentionBackend resolve_backend(AttentionBackend asked, const at::Tensor& like) {
  // Library kernels on the GPU require 16-bit heads of a width that is a multiple of 8.
  const bool gpu_library = like.is_cuda() && is_half(like) && like.size(-1) % 8 == 0 && like.size(-1) <= 128;
  if (asked == AttentionBackend::kAuto) {
    if (like.is_cuda()) return gpu_library ? AttentionBackend::kCudnn : AttentionBackend::kMath;
    return AttentionBackend::kFlash;
  }
  const bool on_cpu_flash = !like.is_cuda() && asked == AttentionBackend::kFlash;
  SGF_CHECK(asked == AttentionBackend::kMath || on_cpu_flash || gpu_library,
            "attention backend {} does not support {} heads of width {} on {}; use auto or math", enum_name(asked),
            c10::toString(like.scalar_type()), like.size(-1), like.device().str());
  return asked;
}

DenseAttention dense_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                               AttentionBackend backend) {
  switch (resolve_backend(backend, q)) {
    case AttentionBackend::kCudnn:
      return cudnn_forward(q, k, v);
    case AttentionBackend::kFlash:
      return flash_forward(q, k, v);
    default:
      return math_forward(q, k, v);
  }
}

DenseAttentionGrad dense_attention_backward(const at::Tensor& grad_out, const at::Tensor& q, const at::Tensor& k,
                                            const at::Tensor& v, const DenseAttention& forward,
                                            AttentionBackend backend) {
  switch (resolve_backend(backend, q)) {
    case AttentionBackend::kCudnn:
      return cudnn_backward(grad_out, q, k, v, forward);
    case AttentionBackend::kFlash:
      return flash_backward(grad_out, q, k, v, forward);
    default:
      return math_backward(grad_out, q, k, v, forward);
  }
}

}  // namespace sgf
