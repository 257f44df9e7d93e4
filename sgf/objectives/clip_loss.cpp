#include "sgf/objectives/clip_loss.h"

#include "sgf/objectives/flow_matching.h"
#include "sgf/schedule/flow_match.h"

#include <ATen/ATen.h>

namespace sgf {
namespace {

at::Tensor weighted_loss(const CausalDit& dit, const NoisedClips& clips, const AttentionContext& context,
                         const FlowSchedule& schedule) {
  const at::Tensor noisy = add_noise(clips.clean, clips.noise, clips.t / kMaxTimestep);
  const at::Tensor flow = dit.forward(noisy, clips.t, dit.embed(clips.text), context);
  return flow_matching_loss(flow, flow_target(clips.clean, clips.noise), bell_weights(schedule, clips.t, clips.clean));
}

}  // namespace

at::Tensor bidirectional_loss(const CausalDit& dit, const NoisedClips& clips, const FlowSchedule& schedule) {
  return weighted_loss(dit, clips, Bidirectional{}, schedule);
}

at::Tensor teacher_forcing_loss(const CausalDit& dit, const NoisedClips& clips, const ReconstructionMask& mask,
                                const FlowSchedule& schedule) {
  return weighted_loss(dit, clips, Parallel{clips.clean, mask, GradientBoundary::kOpenContext}, schedule);
}

}  // namespace sgf
