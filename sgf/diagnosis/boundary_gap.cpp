#include "sgf/diagnosis/boundary_gap.h"

#include "sgf/diagnosis/boundary_gradients.h"
#include "sgf/training/adamw.h"

#include <ATen/ATen.h>

namespace sgf {
namespace {

double inner_product(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i].to(at::kDouble) * b[i].to(at::kDouble)).sum().item<double>();
  return sum;
}

}  // namespace

BoundaryGap boundary_gap(const DmdParts& parts, int64_t step) {
  const BoundaryGradients both = boundary_gradients(parts, step);
  std::vector<at::Tensor> open;
  for (size_t i = 0; i < both.frozen.size(); ++i) open.push_back(both.frozen[i] + both.context[i]);
  BoundaryGap gap{.loss_frozen = both.frozen_step.loss.item<double>(),
                  .loss_open = both.open_step.loss.item<double>(),
                  .norm_frozen = global_norm(both.frozen),
                  .norm_open = global_norm(open),
                  .context_norm = global_norm(both.context),
                  .recovery_relative_l2 = both.open_step.recovery.relative_l2};
  gap.cosine = inner_product(both.context, both.frozen) / (gap.context_norm * gap.norm_frozen);
  return gap;
}

}  // namespace sgf
