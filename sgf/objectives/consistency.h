// Causal consistency distillation: the student's prediction must match that of its EMA one teacher step later.
#pragma once

#include "sgf/context/reconstruction_mask.h"
#include "sgf/objectives/score_pair.h"
#include "sgf/schedule/solver_grid.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace sgf {

// One step of the solver's grid per sample, shared by its frames: from sigma down to sigma_next, [B] each, float64.
struct GridSteps {
  at::Tensor sigma;
  at::Tensor sigma_next;
};
// Step i goes from the grid's sigma i to sigma i + 1; step 0 starts at pure noise.
GridSteps grid_steps(const SolverGrid& grid, const std::vector<int64_t>& indices, c10::Device device);

// Clips, their noise, and the teacher's step.
struct ConsistencyBatch {
  at::Tensor clean;  // [B, F, C, H, W]: the context of noisy blocks, in all three networks
  at::Tensor noise;  // the same
  ScoreText text;
  GridSteps steps;
};

struct ConsistencyNetworks {
  const CausalDit& student;
  const CausalDit& teacher;  // teacher-forced, frozen
  const CausalDit& average;  // the student's EMA
};

struct ConsistencyLoss {
  at::Tensor loss;    // mean squared error between student and target
  at::Tensor next;    // [B, F, C, H, W], the state after the teacher's Euler step
  at::Tensor target;  // clean latents that the EMA predicts from it
};

// The teacher's flow is uncond + guidance (cond - uncond). Only the student keeps a graph.
ConsistencyLoss consistency_loss(const ConsistencyNetworks& networks, const ConsistencyBatch& batch, double guidance,
                                 const ReconstructionMask& mask);

}  // namespace sgf
