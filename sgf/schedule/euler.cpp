// Euler's method.
#include "sgf/schedule/euler.h"

#include "sgf/core/error.h"
#include "sgf/kernels/wide.h"
#include "sgf/schedule/flow_match.h"

#include <ATen/ATen.h>

#include <utility>

namespace sgf {

at::Tensor euler_step(const at::Tensor& flow, const at::Tensor& x, double sigma, double sigma_next) {
  return wide(x) + (sigma_next - sigma) * wide(flow);
}

// A step to sigma 0 gives the clean prediction; this step goes part of the way.
at::Tensor euler_step(const at::Tensor& flow, const at::Tensor& x, const at::Tensor& sigma,
                      const at::Tensor& sigma_next) {
  return x0_from_flow(x, flow, sigma - sigma_next);
}

EulerSolver::EulerSolver(SolverGrid grid) : grid_(std::move(grid)) { grid_.validate(); }

at::Tensor EulerSolver::step(const at::Tensor& flow, const at::Tensor& x) {
  SGF_CHECK(!done(), "the Euler solver has already taken all its {} steps", grid_.steps());
  at::Tensor moved = euler_step(flow, x, grid_.sigmas[next_], grid_.sigmas[next_ + 1]);
  ++next_;
  return moved;
}

}  // namespace sgf
