#include "sgf/diagnosis/boundary_gradients.h"

#include <ATen/ATen.h>

namespace sgf {
namespace {

struct BoundarySide {
  GeneratorStep step;
  std::vector<at::Tensor> gradients;
};

BoundarySide run_side(const DmdParts& parts, int64_t step, GradientBoundary boundary) {
  const DmdBatch batch = dmd_batch(parts.settings, parts.data, parts.generator.network(), UpdateKind::kGenerator, step,
                                   {.first = 0, .count = parts.settings.batch.micro});
  DmdSettings dmd = parts.settings.dmd;
  dmd.boundary = boundary;
  BoundarySide side{generator_step(parts.networks(), batch, dmd), {}};
  side.gradients = parts.generator.gradients(side.step.loss);
  return side;
}

}  // namespace

BoundaryGradients boundary_gradients(const DmdParts& parts, int64_t step) {
  BoundarySide frozen = run_side(parts, step, GradientBoundary::kFrozenContext);
  BoundarySide open = run_side(parts, step, GradientBoundary::kOpenContext);
  BoundaryGradients both{std::move(frozen.step), std::move(open.step), std::move(frozen.gradients), {}};
  for (size_t i = 0; i < both.frozen.size(); ++i) both.context.push_back(open.gradients[i] - both.frozen[i]);
  return both;
}

}  // namespace sgf
