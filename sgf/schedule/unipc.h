// Wan's UniPC sampler: predicts with up to two clean-latent estimates, and corrects each step once the next estimate is
// known, at no extra network call.
#pragma once

#include "sgf/schedule/solver_grid.h"

#include <ATen/core/Tensor.h>

namespace sgf {

// Walks a grid: while (!done()) x = step(network(x, timestep()), x). The first step, which has no history, and the
// last, which ends at sigma 0 where log-SNR is infinite, have order 1.
class UniPcSolver {
 public:
  explicit UniPcSolver(SolverGrid grid, int order = 2);

  bool done() const { return next_ == grid_.steps(); }
  double timestep() const { return grid_.timesteps.at(next_); }
  double sigma() const { return grid_.sigmas.at(next_); }

  // `x` is the result of the last step, `flow` the network's output for it. Returns the next x, float32 or wider.
  at::Tensor step(const at::Tensor& flow, const at::Tensor& x);

 private:
  at::Tensor correct(const at::Tensor& x0) const;
  at::Tensor predict() const;
  int order_of_next_step() const;

  SolverGrid grid_;
  int max_order_;
  int64_t next_ = 0;
  int last_order_ = 0;
  at::Tensor start_;     // corrected latent at the start of the last step
  at::Tensor current_;   // newest clean-latent prediction
  at::Tensor previous_;  // the one before
};

}  // namespace sgf
