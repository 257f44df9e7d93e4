// Euler steps along the flow: the sampler for ODE pairs and teachers.
#pragma once

#include "sgf/schedule/solver_grid.h"

#include <ATen/core/Tensor.h>

namespace sgf {

// x + (sigma_next - sigma) v, in float32 or wider.
at::Tensor euler_step(const at::Tensor& flow, const at::Tensor& x, double sigma, double sigma_next);
// The same with one value of each sigma per leading index of x: [B] or [B, F].
at::Tensor euler_step(const at::Tensor& flow, const at::Tensor& x, const at::Tensor& sigma,
                      const at::Tensor& sigma_next);

// Walks a grid: while (!done()) x = step(network(x, timestep()), x).
class EulerSolver {
 public:
  explicit EulerSolver(SolverGrid grid);

  bool done() const { return next_ == grid_.steps(); }
  double timestep() const { return grid_.timesteps.at(next_); }
  double sigma() const { return grid_.sigmas.at(next_); }
  at::Tensor step(const at::Tensor& flow, const at::Tensor& x);

 private:
  SolverGrid grid_;
  int64_t next_ = 0;
};

}  // namespace sgf
