// The Wan DiT with per-frame timesteps, in all of its modes. It receives a context and does not own one.
#pragma once

#include "sgf/context/attention_context.h"
#include "sgf/kernels/attention_backend.h"
#include "sgf/model/activation_policy.h"
#include "sgf/model/dit_config.h"
#include "sgf/model/dit_weights.h"
#include "sgf/model/prompt_text.h"
#include "sgf/model/rope_table.h"

namespace sgf {

struct BlockInput;
struct CallPlan;
struct KvCacheShape;

struct DitOptions {
  AttentionBackend attention = AttentionBackend::kAuto;
  ActivationPolicy activations = ActivationPolicy::kKeepAll;
};

class CausalDit {
 public:
  CausalDit(DitConfig config, DitWeights weights, DitOptions options = {});

  const DitConfig& config() const { return config_; }
  const DitWeights& weights() const { return weights_; }
  const DitOptions& options() const { return options_; }

  // Prompt embeddings [B, L, text_dim] for a training call: passed through the text MLP, with graph.
  PromptText embed(const at::Tensor& text) const;

  // The same plus every layer's cross-attention K and V: for rollouts and streams, which use them many times.
  PromptText prepare(const at::Tensor& text) const;

  // Predicted flow [B, F, C, H, W], wide, for latents of that shape at timesteps t [B, F].
  at::Tensor forward(const at::Tensor& latents, const at::Tensor& t, const PromptText& text,
                     const AttentionContext& context) const;

  // Stores a clean block's keys and values in the cache. Work that no later block needs is skipped.
  void write(const at::Tensor& clean, const PromptText& text, const Serial& context, double timestep = 0.0) const;

  // Prepares the cache of `context` for all calls on its block with latents of this shape. Returns whether these calls
  // can be recorded as CUDA graphs, which read the rotation tables at fixed addresses.
  bool lay_out(const Serial& context, const at::Tensor& latents) const;

  // A cache that fits this network.
  KvCacheShape cache_shape(const at::Tensor& latents, int64_t largest_block, int64_t max_frames) const;

 private:
  at::Tensor run_blocks(at::Tensor x, const at::Tensor& modulation, const PromptText& text, const CallPlan& plan) const;
  at::Tensor run_block(size_t layer, const BlockInput& input, const CallPlan& plan) const;

  DitConfig config_;
  DitWeights weights_;
  DitOptions options_;
  RopeTables ropes_;
};

// Options for a network's latents: its device, float32 or wider.
at::TensorOptions latent_options(const CausalDit& dit);

}  // namespace sgf
