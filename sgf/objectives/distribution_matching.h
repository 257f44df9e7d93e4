// Distribution matching: the gradient from two scores, and the loss with that derivative.
#pragma once

#include "sgf/objectives/score_pair.h"

namespace sgf {

// (fake - real) / mean|x - real|, with the mean per sample over all frames, given ones included; NaN becomes 0. In
// float32 or wider. The scores see the whole clip; only the loss omits given frames.
at::Tensor dmd_gradient(const at::Tensor& x, const Scores& scores);

// 0.5 mean((x - stop(x - gradient))^2) over frames from `first_frame` on: its derivative by x is gradient / elements.
at::Tensor dmd_loss(const at::Tensor& x, const at::Tensor& gradient, int64_t first_frame = 0);

// Noise added to x before the scores.
struct ScoreDraw {
  at::Tensor noise;  // as x
  at::Tensor t;      // [B]
  SigmaRule sigma;
};

// The objective of a generator update: add noise to x (detached), compute both scores, turn their difference into a
// loss on x. The scores see given frames, those before `first_frame`; the loss omits them.
struct GeneratorLoss {
  at::Tensor loss;
  at::Tensor gradient;
  at::Tensor are_scores_finite;  // a bool tensor; if false, zeros replace the invalid values of the gradient
};
GeneratorLoss generator_loss(const at::Tensor& x, const ScorePair& pair, const ScoreDraw& draw, const ScoreText& text,
                             int64_t first_frame = 0);

// The critic's objective on generated latents: flow matching without weights.
at::Tensor critic_loss(const at::Tensor& generated, const CausalDit& critic, const ScoreDraw& draw,
                       const at::Tensor& text, int64_t first_frame = 0);

}  // namespace sgf
