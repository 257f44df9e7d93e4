#include "sgf/reconstruction/reconstruct.h"

#include "sgf/schedule/flow_match.h"

#include <ATen/ATen.h>

namespace sgf {

at::Tensor reconstruct(const CausalDit& generator, const PromptText& text, const ExitRecord& record,
                       GradientBoundary boundary) {
  record.validate();
  const ReconstructionMask mask(record.policy, record.layout);
  const at::Tensor t = record.frame_timesteps();
  const at::Tensor flow = generator.forward(record.noisy, t, text, Parallel{record.context, mask, boundary});
  const at::Tensor x = x0_from_flow(record.noisy, flow, sigmas_at(record.sigma, t));
  if (record.given_frames == 0) return x;
  // Given frames are copied: the network's output for them is unused and gets no loss.
  const at::Tensor given = record.context.slice(1, 0, record.given_frames).to(x.scalar_type());
  return at::cat({given, x.slice(1, record.given_frames)}, 1);
}

}  // namespace sgf
