#include "sgf/rollout/solver_walk.h"

#include "sgf/core/error.h"
#include "sgf/kernels/wide.h"
#include "sgf/schedule/euler.h"
#include "sgf/schedule/unipc.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace sgf {
namespace {

at::Tensor one_time(const at::Tensor& x, double t) {
  return at::full({x.size(0), x.size(1)}, t, x.options().dtype(at::kDouble));
}

template <class AnySolver>
at::Tensor walk_by(AnySolver solver, at::Tensor x, const FlowOf& flow) {
  while (!solver.done()) x = solver.step(flow(x, one_time(x, solver.timestep())), x);
  return x;
}

}  // namespace

FlowOf guided_flow(const FlowOf& cond, const FlowOf& uncond, double guidance) {
  if (guidance == 1) return cond;
  return [=](const at::Tensor& x, const at::Tensor& t) {
    const at::Tensor without = uncond(x, t);
    return without + (cond(x, t) - without) * guidance;
  };
}

at::Tensor walk(const SamplerSettings& settings, const at::Tensor& noise, const FlowOf& flow) {
  return settings.solver == Solver::kEuler
             ? walk_by(EulerSolver(euler_grid(settings.steps, settings.shift)), noise, flow)
             : walk_by(UniPcSolver(unipc_grid(settings.steps, settings.shift)), noise, flow);
}

OdePath trace_path(const SolverGrid& grid, const std::vector<int64_t>& kept, const at::Tensor& noise,
                   const FlowOf& flow) {
  EulerSolver solver(grid);
  at::Tensor x = wide(noise);
  std::vector<at::Tensor> states;
  for (int64_t step = 0; !solver.done(); ++step) {
    if (std::ranges::find(kept, step) != kept.end()) states.push_back(x);
    x = solver.step(flow(x, one_time(x, solver.timestep())), x);
  }
  SGF_CHECK(states.size() == kept.size(), "a path of {} steps does not contain all {} steps to keep", grid.steps(),
            kept.size());
  return {at::stack(states, 1), x};
}

std::vector<int64_t> steps_at(const SolverGrid& grid, const std::vector<double>& timesteps) {
  constexpr double kSame = 1e-6;  // of 1000
  std::vector<int64_t> steps;
  for (const double t : timesteps) {
    const auto found = std::ranges::find_if(grid.timesteps, [&](double own) { return std::abs(own - t) < kSame; });
    SGF_CHECK(found != grid.timesteps.end(),
              "none of the {} Euler steps begins at the student's timestep {:.6g}; use a number of steps that contains "
              "all student timesteps, e.g. 48 for 1000, 750, 500, 250",
              grid.steps(), t);
    steps.push_back(found - grid.timesteps.begin());
  }
  return steps;
}

}  // namespace sgf
