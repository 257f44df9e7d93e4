// The points at which a solver evaluates the flow. Torch-free.
#pragma once

#include <cstdint>
#include <vector>

namespace sgf {

// Step k goes from sigmas[k] to sigmas[k + 1] with the flow taken at timesteps[k].
struct SolverGrid {
  std::vector<double> sigmas;     // decreasing, one more than timesteps: the last is the end point
  std::vector<double> timesteps;  // the network's timestep inputs

  int64_t steps() const { return static_cast<int64_t>(timesteps.size()); }
  void validate() const;
};

// Bases 1 - i/steps, shifted, then 0; t = 1000 sigma, not rounded. Used for ODE pairs and consistency stages.
SolverGrid euler_grid(int64_t steps, double shift);

// The grid of Wan's UniPC: bases from 0.999 down, shifted, sigmas rounded to float32, timesteps truncated to integers.
SolverGrid unipc_grid(int64_t steps, double shift);

}  // namespace sgf
