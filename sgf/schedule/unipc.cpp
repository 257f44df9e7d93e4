// UniPC over tensors: stores the tensors that the coefficients refer to.
#include "sgf/schedule/unipc.h"

#include "sgf/core/error.h"
#include "sgf/kernels/wide.h"
#include "sgf/schedule/flow_match.h"
#include "sgf/schedule/unipc_coefficients.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

namespace sgf {

UniPcSolver::UniPcSolver(SolverGrid grid, int order) : grid_(std::move(grid)), max_order_(order) {
  grid_.validate();
  SGF_CHECK(order == 1 || order == 2, "UniPC order must be 1 or 2, got {}", order);
  SGF_CHECK(grid_.sigmas.front() < 1, "UniPC must start below sigma 1, where log-SNR is finite, got {}",
            grid_.sigmas.front());
}

int UniPcSolver::order_of_next_step() const {
  const int64_t left = grid_.steps() - next_;
  return static_cast<int>(std::min({int64_t{max_order_}, next_ + 1, left}));
}

at::Tensor UniPcSolver::correct(const at::Tensor& x0) const {
  const UniPcWeights w = unipc_corrector(grid_.sigmas, next_ - 1, last_order_);
  at::Tensor corrected = w.x * start_ + w.current * current_ + w.next * x0;
  return last_order_ == 2 ? corrected + w.previous * previous_ : corrected;
}

at::Tensor UniPcSolver::predict() const {
  const UniPcWeights w = unipc_predictor(grid_.sigmas, next_, last_order_);
  at::Tensor predicted = w.x * start_ + w.current * current_;
  return last_order_ == 2 ? predicted + w.previous * previous_ : predicted;
}

at::Tensor UniPcSolver::step(const at::Tensor& flow, const at::Tensor& x) {
  SGF_CHECK(!done(), "the UniPC solver has already taken all its {} steps", grid_.steps());
  const at::Tensor x0 = x0_from_flow(x, flow, sigma());
  start_ = next_ > 0 ? correct(x0) : wide(x);
  previous_ = current_;
  current_ = x0;
  last_order_ = order_of_next_step();
  at::Tensor predicted = predict();
  ++next_;
  return predicted;
}

}  // namespace sgf
