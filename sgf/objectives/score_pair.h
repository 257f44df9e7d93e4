// The two scores of distribution matching: a frozen teacher's and an online critic's, both bidirectional.
#pragma once

#include "sgf/model/causal_dit.h"
#include "sgf/schedule/sigma_rule.h"

#include <ATen/core/Tensor.h>

namespace sgf {

// Prompts as both networks read them; `uncond` is the negative prompt.
struct ScoreText {
  at::Tensor cond;    // [B, L, text_dim]
  at::Tensor uncond;  // [B, L, text_dim]
};

// Clean latents that either side believes in.
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

// The clean latents a bidirectional network predicts at one timestep a sample, t [B].
at::Tensor predict_clean(const CausalDit& dit, const at::Tensor& noisy, const at::Tensor& t, const at::Tensor& text,
                         const SigmaRule& sigma = {});

// Predicted flow of a bidirectional network at one timestep a sample, t [B].
at::Tensor predict_flow(const CausalDit& dit, const at::Tensor& noisy, const at::Tensor& t, const at::Tensor& text);

}  // namespace sgf
