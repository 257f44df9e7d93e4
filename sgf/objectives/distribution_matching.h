// Distribution matching: a gradient from two scores, and the loss whose derivative it is.
#pragma once

#include "sgf/objectives/score_pair.h"

namespace sgf {

// (fake - real) / mean|x - real|, the mean per sample over all else; not-a-number becomes 0. In float32 or wider.
// The mean is over every frame, given ones too: the scores see the whole clip, and only the loss leaves frames out.
at::Tensor dmd_gradient(const at::Tensor& x, const Scores& scores);

// 0.5 mean((x - stop(x - gradient))^2) over frames from `first_frame` on: its derivative by x is gradient / elements.
at::Tensor dmd_loss(const at::Tensor& x, const at::Tensor& gradient, int64_t first_frame = 0);

// Noise put on x before the scores look at it.
struct ScoreDraw {
  at::Tensor noise;  // as x
  at::Tensor t;      // [B]
  SigmaRule sigma;
};

// The whole objective of a generator update: noise x (detached), score it, turn the difference into a loss on x.
// Frames before `first_frame` were given: the scores see them, the loss does not.
struct GeneratorLoss {
  at::Tensor loss;
  at::Tensor gradient;
  at::Tensor are_scores_finite;  // a bool; where not, the gradient holds zeros that nobody computed
};
GeneratorLoss generator_loss(const at::Tensor& x, const ScorePair& pair, const ScoreDraw& draw, const ScoreText& text,
                             int64_t first_frame = 0);

// The critic's own objective on generated latents: plain flow matching, no weights.
at::Tensor critic_loss(const at::Tensor& generated, const CausalDit& critic, const ScoreDraw& draw,
                       const at::Tensor& text, int64_t first_frame = 0);

}  // namespace sgf
