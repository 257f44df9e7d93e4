// The two scores of distribution matching, both bidirectional: a frozen teacher (real) and an online critic (fake).
#pragma once

#include "sgf/model/causal_dit.h"
#include "sgf/schedule/sigma_rule.h"

#include <ATen/core/Tensor.h>

namespace sgf {

// Prompt embeddings for both networks; `uncond` is the negative prompt.
struct ScoreText {
  at::Tensor cond;    // [B, L, text_dim]
  at::Tensor uncond;  // [B, L, text_dim]
};

// Clean latents predicted by each network.
struct Scores {
  at::Tensor real;
  at::Tensor fake;
};

struct ScorePair {
  const CausalDit& teacher;
  const CausalDit& critic;
  double guidance = 3.0;  // real = cond + guidance * (cond - uncond): 3 is the usual weight of 4

  // For noisy latents [B, F, C, H, W] at t [B]. No graph is kept.
  Scores scores(const at::Tensor& noisy, const at::Tensor& t, const ScoreText& text, const SigmaRule& sigma = {}) const;
};

// Clean latents that a bidirectional network predicts at one timestep per sample, t [B].
at::Tensor predict_clean(const CausalDit& dit, const at::Tensor& noisy, const at::Tensor& t, const at::Tensor& text,
                         const SigmaRule& sigma = {});

// Flow that a bidirectional network predicts at one timestep per sample, t [B].
at::Tensor predict_flow(const CausalDit& dit, const at::Tensor& noisy, const at::Tensor& t, const at::Tensor& text);

}  // namespace sgf
