#include "sgf/objectives/flow_matching.h"

#include "sgf/core/error.h"
#include "sgf/kernels/wide.h"

#include <ATen/ATen.h>

#include <vector>

namespace sgf {

at::Tensor bell_weights(const FlowSchedule& schedule, const at::Tensor& t, const at::Tensor& like) {
  const at::Tensor timesteps = t.to(at::kCPU, at::kDouble).contiguous();
  std::vector<double> weights;
  for (int64_t i = 0; i < timesteps.numel(); ++i)
    weights.push_back(schedule.training_weight(timesteps.data_ptr<double>()[i]));
  return at::tensor(weights, at::kDouble).view(t.sizes()).to(like.options().dtype(wide_type(like.scalar_type())));
}

at::Tensor flow_matching_loss(const at::Tensor& flow, const at::Tensor& target, const at::Tensor& weights) {
  SGF_CHECK(flow.dim() == 5 && flow.sizes() == target.sizes(),
            "flow and target must be latents [B, F, C, H, W] of the same shape, got {} and {} elements", flow.numel(),
            target.numel());
  const at::Tensor squared = (wide(flow) - wide(target)).square();
  if (!weights.defined()) return squared.mean();
  return (squared.mean({2, 3, 4}) * weights).mean();
}

}  // namespace sgf
