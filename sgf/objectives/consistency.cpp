#include "sgf/objectives/consistency.h"

#include "sgf/core/error.h"
#include "sgf/schedule/euler.h"
#include "sgf/schedule/flow_match.h"
#include "sgf/schedule/flow_schedule.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace sgf {
namespace {

// Predicts all blocks of noisy clips from the clean blocks before them, at one sigma per sample.
class TeacherForcedView {
 public:
  TeacherForcedView(const at::Tensor& clean, const ReconstructionMask& mask)
      : context_{clean, mask, GradientBoundary::kOpenContext} {}

  at::Tensor flow(const CausalDit& dit, const at::Tensor& noisy, const at::Tensor& sigma,
                  const at::Tensor& text) const {
    const at::Tensor t = (sigma * kMaxTimestep).unsqueeze(1).expand({noisy.size(0), noisy.size(1)});
    return dit.forward(noisy, t, dit.embed(text), context_);
  }
  at::Tensor clean(const CausalDit& dit, const at::Tensor& noisy, const at::Tensor& sigma,
                   const at::Tensor& text) const {
    return x0_from_flow(noisy, flow(dit, noisy, sigma, text), sigma);
  }

 private:
  Parallel context_;
};

at::Tensor guided_flow(const TeacherForcedView& view, const CausalDit& teacher, const at::Tensor& noisy,
                       const ConsistencyBatch& batch, double guidance) {
  const at::Tensor cond = view.flow(teacher, noisy, batch.steps.sigma, batch.text.cond);
  if (guidance == 1) return cond;
  const at::Tensor uncond = view.flow(teacher, noisy, batch.steps.sigma, batch.text.uncond);
  return uncond + (cond - uncond) * guidance;
}

}  // namespace

GridSteps grid_steps(const SolverGrid& grid, const std::vector<int64_t>& indices, c10::Device device) {
  std::vector<double> sigma, sigma_next;
  for (const int64_t i : indices) {
    SGF_CHECK(i >= 0 && i < grid.steps(), "a step of a grid of {} steps is numbered from 0, got {}", grid.steps(), i);
    sigma.push_back(grid.sigmas[static_cast<size_t>(i)]);
    sigma_next.push_back(grid.sigmas[static_cast<size_t>(i) + 1]);
  }
  return {at::tensor(sigma, at::kDouble).to(device), at::tensor(sigma_next, at::kDouble).to(device)};
}

ConsistencyLoss consistency_loss(const ConsistencyNetworks& networks, const ConsistencyBatch& batch, double guidance,
                                 const ReconstructionMask& mask) {
  const TeacherForcedView view(batch.clean, mask);
  const at::Tensor noisy = add_noise(batch.clean, batch.noise, batch.steps.sigma);
  ConsistencyLoss out;
  {
    const at::NoGradGuard no_grad;
    const at::Tensor flow = guided_flow(view, networks.teacher, noisy, batch, guidance);
    out.next = euler_step(flow, noisy, batch.steps.sigma, batch.steps.sigma_next);
    out.target = view.clean(networks.average, out.next, batch.steps.sigma_next, batch.text.cond);
  }
  const at::Tensor prediction = view.clean(networks.student, noisy, batch.steps.sigma, batch.text.cond);
  out.loss = (prediction - out.target).square().mean();
  return out;
}

}  // namespace sgf
