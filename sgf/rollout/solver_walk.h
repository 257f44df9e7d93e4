// From noise to data along a many-step model's flow: what samplers, and makers of a teacher's paths, walk by.
#pragma once

#include "sgf/schedule/solver_grid.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace sgf {

// Predicted flow of latents x [B, F, C, H, W] at timesteps [B, F].
using FlowOf = std::function<at::Tensor(const at::Tensor& x, const at::Tensor& t)>;

// uncond + guidance (cond - uncond); 1 asks `cond` alone.
FlowOf guided_flow(const FlowOf& cond, const FlowOf& uncond, double guidance);

enum class Solver {
  kEuler,
  kUniPc,  // as Wan samples
};

struct SamplerSettings {
  int64_t steps = 24;
  double shift = 5;
  double guidance = 1;  // flow = uncond + guidance (cond - uncond); 1: no second call
  Solver solver = Solver::kEuler;
};

// All steps from `noise` [B, F, C, H, W]; float32 or wider.
at::Tensor walk(const SamplerSettings& settings, const at::Tensor& noise, const FlowOf& flow);

// A walk by Euler's steps, and where it was on the way.
struct OdePath {
  at::Tensor states;  // [B, K, F, C, H, W]: before each of the kept steps
  at::Tensor end;     // [B, F, C, H, W]
};
OdePath trace_path(const SolverGrid& grid, const std::vector<int64_t>& kept, const at::Tensor& noise,
                   const FlowOf& flow);

// Which steps of a grid begin at these timesteps. A timestep that the grid does not have is refused.
std::vector<int64_t> steps_at(const SolverGrid& grid, const std::vector<double>& timesteps);

}  // namespace sgf
