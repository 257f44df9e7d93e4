#include "sgf/objectives/score_pair.h"

#include "sgf/core/error.h"
#include "sgf/schedule/flow_match.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace sgf {

at::Tensor predict_flow(const CausalDit& dit, const at::Tensor& noisy, const at::Tensor& t, const at::Tensor& text) {
  SGF_CHECK(t.dim() == 1 && t.size(0) == noisy.size(0), "score times must be one per sample, got {} for a batch of {}",
            t.numel(), noisy.size(0));
  const at::Tensor frames = t.unsqueeze(1).expand({noisy.size(0), noisy.size(1)});
  return dit.forward(noisy, frames, dit.embed(text), Bidirectional{});
}

at::Tensor predict_clean(const CausalDit& dit, const at::Tensor& noisy, const at::Tensor& t, const at::Tensor& text,
                         const SigmaRule& sigma) {
  return x0_from_flow(noisy, predict_flow(dit, noisy, t, text), sigmas_at(sigma, t));
}

Scores ScorePair::scores(const at::Tensor& noisy, const at::Tensor& t, const ScoreText& text,
                         const SigmaRule& sigma) const {
  const at::NoGradGuard no_grad;
  const at::Tensor cond = predict_clean(teacher, noisy, t, text.cond, sigma);
  const at::Tensor uncond = predict_clean(teacher, noisy, t, text.uncond, sigma);
  return {.real = cond + (cond - uncond) * guidance, .fake = predict_clean(critic, noisy, t, text.cond, sigma)};
}

}  // namespace sgf
