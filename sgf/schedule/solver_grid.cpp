// The two grids that samplers use.
#include "sgf/schedule/solver_grid.h"

#include "sgf/core/error.h"
#include "sgf/schedule/flow_schedule.h"

#include <cmath>

namespace sgf {
namespace {

// Wan's table ends at 1 - 1/1000, rounded to float32 before the grid is computed from it.
constexpr float kWanHighestBase = 0.999f;

void check_steps(int64_t steps) { SGF_CHECK(steps > 0, "solver steps must be at least 1, got {}", steps); }

}  // namespace

void SolverGrid::validate() const {
  SGF_CHECK(steps() > 0 && sigmas.size() == timesteps.size() + 1,
            "a grid must have one more sigma than timesteps, got {} and {}", sigmas.size(), timesteps.size());
  for (size_t k = 0; k + 1 < sigmas.size(); ++k) {
    SGF_CHECK(sigmas[k] <= 1 && sigmas[k] > sigmas[k + 1] && sigmas[k + 1] >= 0,
              "sigmas must decrease from at most 1 to at least 0, got {} then {}", sigmas[k], sigmas[k + 1]);
  }
}

SolverGrid euler_grid(int64_t steps, double shift) {
  check_steps(steps);
  const FlowSchedule table(shift, steps);
  SolverGrid grid{table.sigmas(), table.timesteps()};
  grid.sigmas.push_back(0.0);
  return grid;
}

SolverGrid unipc_grid(int64_t steps, double shift) {
  check_steps(steps);
  SolverGrid grid;
  for (int64_t i = 0; i < steps; ++i) {
    const double base = kWanHighestBase * (1.0 - static_cast<double>(i) / static_cast<double>(steps));
    const double sigma = shift_sigma(base, shift);
    grid.sigmas.push_back(static_cast<float>(sigma));
    grid.timesteps.push_back(std::trunc(kMaxTimestep * sigma));
  }
  grid.sigmas.push_back(0.0);
  return grid;
}

}  // namespace sgf
