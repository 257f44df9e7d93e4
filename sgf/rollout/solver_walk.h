// Solves a many-step model's flow from noise to data, for sampling and for teacher paths.
#pragma once

#include "sgf/schedule/solver_grid.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace sgf {

// Predicted flow of latents x [B, F, C, H, W] at timesteps [B, F].
using FlowOf = std::function<at::Tensor(const at::Tensor& x, const at::Tensor& t)>;

// uncond + guidance (cond - uncond); at guidance 1 only `cond` is computed.
FlowOf guided_flow(const FlowOf& cond, const FlowOf& uncond, double guidance);

enum class Solver {
  kEuler,
  kUniPc,  // the solver of Wan's own sampling
};

struct SamplerSettings {
  int64_t steps = 24;
  double shift = 5;
  double guidance = 1;  // flow = uncond + guidance (cond - uncond); 1: no second call
  Solver solver = Solver::kEuler;
};

// All steps from `noise` [B, F, C, H, W]; float32 or wider.
at::Tensor walk(const SamplerSettings& settings, const at::Tensor& noise, const FlowOf& flow);

// An Euler path and its intermediate states.
struct OdePath {
  at::Tensor states;  // [B, K, F, C, H, W]: the state before each kept step
  at::Tensor end;     // [B, F, C, H, W]
};
OdePath trace_path(const SolverGrid& grid, const std::vector<int64_t>& kept, const at::Tensor& noise,
                   const FlowOf& flow);

// Indices of the grid steps that begin at these timesteps. Throws if the grid lacks one of them.
std::vector<int64_t> steps_at(const SolverGrid& grid, const std::vector<double>& timesteps);

}  // namespace sgf
