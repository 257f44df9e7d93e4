// Where a solver asks for the flow. Free of torch.
#pragma once

#include <cstdint>
#include <vector>

namespace sgf {

// Step k goes from sigmas[k] to sigmas[k + 1] with the flow taken at timesteps[k].
struct SolverGrid {
  std::vector<double> sigmas;     // falling, one more than timesteps: the last is where the solver ends
  std::vector<double> timesteps;  // what the network is told

  int64_t steps() const { return static_cast<int64_t>(timesteps.size()); }
  void validate() const;
};

// Bases 1 - i/steps, shifted, then 0; t = 1000 sigma, not rounded. What ODE pairs and consistency stages walk on.
SolverGrid euler_grid(int64_t steps, double shift);

// As Wan's UniPC builds it: bases from 0.999 down, shifted, sigmas rounded to float32, timesteps cut to integers.
SolverGrid unipc_grid(int64_t steps, double shift);

}  // namespace sgf
