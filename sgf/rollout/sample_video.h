// Videos from models that take many steps: teachers at once, teacher-forced models block by block.
#pragma once

#include "sgf/rollout/denoise_block.h"
#include "sgf/rollout/solver_walk.h"

namespace sgf {

// The same samples with and without their prompt, [B, L, text_dim] each.
struct GuidedText {
  at::Tensor cond;
  at::Tensor uncond;
};

// All frames together, from `noise` [B, F, C, H, W]. No graph is kept.
at::Tensor sample_bidirectional(const CausalDit& dit, const GuidedText& text, const SamplerSettings& settings,
                                const at::Tensor& noise);

// Block after block against a cache of the clean blocks before it; `noise` as in a rollout, draw 0 alone is asked for.
at::Tensor sample_blocks(const CausalDit& dit, const GuidedText& text, const SamplerSettings& settings,
                         const ContextPolicy& policy, const BlockLayout& layout, const BlockNoise& noise);

}  // namespace sgf
