#include "sgf/evaluation/boundary_gap.h"

#include "sgf/training/adamw.h"

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
  BoundarySide side{generator_step(parts.generator.network(), parts.teacher, parts.critic.network(), batch, dmd), {}};
  side.gradients = parts.generator.gradients(side.step.loss);
  return side;
}

double inner_product(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i].to(at::kDouble) * b[i].to(at::kDouble)).sum().item<double>();
  return sum;
}

}  // namespace

BoundaryGap boundary_gap(const DmdParts& parts, int64_t step) {
  const BoundarySide frozen = run_side(parts, step, GradientBoundary::kFrozenContext);
  const BoundarySide open = run_side(parts, step, GradientBoundary::kOpenContext);
  std::vector<at::Tensor> context;
  for (size_t i = 0; i < open.gradients.size(); ++i) context.push_back(open.gradients[i] - frozen.gradients[i]);
  BoundaryGap gap{.loss_frozen = frozen.step.loss.item<double>(),
                  .loss_open = open.step.loss.item<double>(),
                  .norm_frozen = global_norm(frozen.gradients),
                  .norm_open = global_norm(open.gradients),
                  .context_norm = global_norm(context),
                  .recovery_relative_l2 = open.step.recovery.relative_l2};
  gap.cosine = inner_product(context, frozen.gradients) / (gap.context_norm * gap.norm_frozen);
  return gap;
}

}  // namespace sgf
