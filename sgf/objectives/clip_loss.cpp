#include "sgf/objectives/clip_loss.h"

#include "sgf/objectives/flow_matching.h"
#include "sgf/schedule/flow_match.h"

#include <ATen/ATen.h>

namespace sgf {
namespace {

at::Tensor weighted_loss(const CausalDit& dit, const NoisedClips& clips, const AttentionContext& context) {
  const at::Tensor noisy = add_noise(clips.clean, clips.noise, sigmas_at(clips.sigma, clips.t));
  const at::Tensor flow = dit.forward(noisy, clips.t, dit.embed(clips.text), context);
  return flow_matching_loss(flow, flow_target(clips.clean, clips.noise), clips.weights);
}

}  // namespace

at::Tensor bidirectional_loss(const CausalDit& dit, const NoisedClips& clips) {
  return weighted_loss(dit, clips, Bidirectional{});
}

at::Tensor teacher_forcing_loss(const CausalDit& dit, const NoisedClips& clips, const ReconstructionMask& mask) {
  return weighted_loss(dit, clips, Parallel{clips.clean, mask, GradientBoundary::kOpenContext});
}

}  // namespace sgf
