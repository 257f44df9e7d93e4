#include "sgf/objectives/distribution_matching.h"

#include "sgf/kernels/wide.h"
#include "sgf/objectives/flow_matching.h"
#include "sgf/schedule/flow_match.h"

#include <ATen/ATen.h>

namespace sgf {

at::Tensor dmd_gradient(const at::Tensor& x, const Scores& scores) {
  const at::Tensor real = wide(scores.real), fake = wide(scores.fake);
  const at::Tensor scale = (wide(x).detach() - real).abs().mean({1, 2, 3, 4}, /*keepdim=*/true);
  return at::nan_to_num((fake - real) / scale);
}

at::Tensor dmd_loss(const at::Tensor& x, const at::Tensor& gradient, int64_t first_frame) {
  const at::Tensor target = (wide(x) - gradient).detach();
  return (wide(x) - target).slice(1, first_frame).square().mean() * 0.5;
}

GeneratorLoss generator_loss(const at::Tensor& x, const ScorePair& pair, const ScoreDraw& draw, const ScoreText& text,
                             int64_t first_frame) {
  const at::Tensor noisy = add_noise(x.detach(), draw.noise, sigmas_at(draw.sigma, draw.t));
  const Scores scores = pair.scores(noisy, draw.t, text, draw.sigma);
  const at::Tensor gradient = dmd_gradient(x, scores);
  return {dmd_loss(x, gradient, first_frame), gradient, (scores.real.sum() + scores.fake.sum()).isfinite()};
}

at::Tensor critic_loss(const at::Tensor& generated, const CausalDit& critic, const ScoreDraw& draw,
                       const at::Tensor& text, int64_t first_frame) {
  const at::Tensor noisy = add_noise(generated, draw.noise, sigmas_at(draw.sigma, draw.t));
  return flow_matching_loss(predict_flow(critic, noisy, draw.t, text).slice(1, first_frame),
                            flow_target(generated, draw.noise).slice(1, first_frame));
}

}  // namespace sgf
