#include "sgf/reconstruction/reconstruct.h"

#include "sgf/schedule/flow_match.h"
#include "sgf/schedule/flow_schedule.h"

#include <ATen/ATen.h>

namespace sgf {

at::Tensor reconstruct(const CausalDit& generator, const PromptText& text, const ExitRecord& record,
                       GradientBoundary boundary) {
  record.validate();
  const ReconstructionMask mask(record.policy, record.layout);
  const at::Tensor t = at::full({record.noisy.size(0), record.noisy.size(1)}, record.exit_timestep,
                                record.noisy.options().dtype(at::kDouble));
  const at::Tensor flow = generator.forward(record.noisy, t, text, Parallel{record.context, mask, boundary});
  return x0_from_flow(record.noisy, flow, record.exit_timestep / kMaxTimestep);
}

}  // namespace sgf
