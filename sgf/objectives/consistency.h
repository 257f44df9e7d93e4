// Causal consistency distillation: on a teacher's path, the student says now what its slow average says a step later.
#pragma once

#include "sgf/context/reconstruction_mask.h"
#include "sgf/objectives/score_pair.h"
#include "sgf/schedule/solver_grid.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace sgf {

// Steps of a solver's grid, one a sample and shared by its frames: from sigma down to sigma_next, [B] each, float64.
struct GridSteps {
  at::Tensor sigma;
  at::Tensor sigma_next;
};
// Step i goes from the grid's sigma i to sigma i + 1; 0 leaves pure noise.
GridSteps grid_steps(const SolverGrid& grid, const std::vector<int64_t>& indices, c10::Device device);

// Clips, the noise put on them, and the step that the teacher takes from there.
struct ConsistencyBatch {
  at::Tensor clean;  // [B, F, C, H, W]: what noisy blocks see before them, in all three networks
  at::Tensor noise;  // the same
  ScoreText text;
  GridSteps steps;
};

struct ConsistencyNetworks {
  const CausalDit& student;
  const CausalDit& teacher;  // teacher-forced, frozen
  const CausalDit& average;  // the student's slow average
};

struct ConsistencyLoss {
  at::Tensor loss;    // mean squared error of student and target
  at::Tensor next;    // [B, F, C, H, W], where the teacher's Euler step leads
  at::Tensor target;  // the clean latents that the average predicts there
};

// The teacher's flow is uncond + guidance (cond - uncond). Only the student keeps a graph.
ConsistencyLoss consistency_loss(const ConsistencyNetworks& networks, const ConsistencyBatch& batch, double guidance,
                                 const ReconstructionMask& mask);

}  // namespace sgf
