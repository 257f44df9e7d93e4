// Videos from many-step models: bidirectional teachers generate all frames together, teacher-forced models block by
// block.
#pragma once

#include "sgf/rollout/denoise_block.h"
#include "sgf/rollout/solver_walk.h"

namespace sgf {

// Embeddings of the samples with and without their prompt, [B, L, text_dim] each.
struct GuidedText {
  at::Tensor cond;
  at::Tensor uncond;
};

// All frames together, from `noise` [B, F, C, H, W]. No graph is kept.
at::Tensor sample_bidirectional(const CausalDit& dit, const GuidedText& text, const SamplerSettings& settings,
                                const at::Tensor& noise);

// Block by block, with a cache of the clean blocks before; `noise` as in a rollout, but only draw 0 is used.
at::Tensor sample_blocks(const CausalDit& dit, const GuidedText& text, const SamplerSettings& settings,
                         const ContextPolicy& policy, const BlockLayout& layout, const BlockNoise& noise);

}  // namespace sgf
