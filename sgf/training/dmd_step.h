// One step of distribution-matching training: what is drawn, what is computed. No loop, no file, no optimiser here.
#pragma once

#include "sgf/objectives/distribution_matching.h"
#include "sgf/reconstruction/recovery_report.h"
#include "sgf/rollout/roll_out.h"

#include <cstdint>

namespace sgf {

// What the step's random numbers hang on. A sample's numbers belong to its global index: they do not change with the
// batch it was put in, the rank that runs it or where a run was resumed.
struct DmdDraws {
  uint64_t seed = 0;
  int64_t step = 0;
  int64_t first_sample = 0;  // global index of the batch's first sample within this step

  // One exit for all samples of the step, 1 to `steps`; generator and critic rollouts draw their own.
  int64_t generator_exit(int64_t steps) const;
  int64_t critic_exit(int64_t steps) const;

  BlockNoise generator_noise(at::IntArrayRef latent, at::TensorOptions options) const;  // latent [B, F, C, H, W]
  BlockNoise critic_noise(at::IntArrayRef latent, at::TensorOptions options) const;
  ScoreDraw score(at::IntArrayRef latent, at::TensorOptions options, double shift) const;
  ScoreDraw critic_score(at::IntArrayRef latent, at::TensorOptions options, double shift) const;
};

struct DmdSettings {
  RolloutSettings rollout;
  GradientBoundary boundary = GradientBoundary::kOpenContext;
  double guidance = 3.0;
  double shift = 5.0;
};

// What both updates need of a batch.
struct DmdBatch {
  ScoreText text;
  std::vector<int64_t> latent;  // [B, F, C, H, W]
  at::TensorOptions options;    // of latents
  DmdDraws draws;
};

struct GeneratorStep {
  at::Tensor loss;
  double dmd_gradient_norm = 0;  // mean over samples of the gradient's norm
  int64_t exit_step = 0;
  RecoveryReport recovery;  // Pass 2 against Pass 1 of this very step
};

// Pass 1, Pass 2, scores, loss; the loss carries the graph.
GeneratorStep generator_step(const CausalDit& generator, const CausalDit& teacher, const CausalDit& critic,
                             const DmdBatch& batch, const DmdSettings& settings);

// A rollout of its own, then flow matching on it; the loss carries the critic's graph.
at::Tensor critic_step(const CausalDit& generator, const CausalDit& critic, const DmdBatch& batch,
                       const DmdSettings& settings);

}  // namespace sgf
