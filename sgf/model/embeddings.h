// The network's input and output layers: patches, timesteps, text; the head.
#pragma once

#include "sgf/core/patch_grid.h"
#include "sgf/model/dit_weights.h"

namespace sgf {

PatchGrid patch_grid(const DitConfig& config, const at::Tensor& latents);

// Latents [B, F, C, H, W] -> tokens [B, F * L, dim], in the weights' dtype.
at::Tensor embed_patches(const DitConfig& config, const DitWeights& weights, const at::Tensor& latents);

// cos half first, then sin, float64: [...] -> [..., width].
at::Tensor timestep_sinusoid(const at::Tensor& t, int64_t width);

// `frame` [B, F, dim] for the head, `blocks` [B, F, 6, dim] for the blocks; both wide.
struct TimestepEmbedding {
  at::Tensor frame;
  at::Tensor blocks;
};

TimestepEmbedding embed_timesteps(const DitConfig& config, const DitWeights& weights, const at::Tensor& t);

// Prompt embeddings [B, L, text_dim], L <= text_len, zero-padded to text_len -> [B, text_len, dim].
at::Tensor embed_text(const DitConfig& config, const DitWeights& weights, const at::Tensor& text);

// Tokens [B, F * L, dim] and e [B, F, dim] -> flow [B, F, C, H, W], wide.
at::Tensor apply_head(const DitConfig& config, const DitWeights& weights, const at::Tensor& x, const at::Tensor& e,
                      const PatchGrid& grid);

}  // namespace sgf
