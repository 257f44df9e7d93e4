// One step of distribution-matching training: what is drawn, what is computed. No loop, no file, no optimiser here.
#pragma once

#include "sgf/objectives/distribution_matching.h"
#include "sgf/reconstruction/recovery_report.h"
#include "sgf/rollout/roll_out.h"

#include <cstdint>
#include <functional>
#include <vector>

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
  // One a sample, `count` of them.
  std::vector<int64_t> generator_exits(int64_t steps, int64_t count) const;
  std::vector<int64_t> critic_exits(int64_t steps, int64_t count) const;

  BlockNoise generator_noise(at::IntArrayRef latent, at::TensorOptions options) const;  // latent [B, F, C, H, W]
  BlockNoise critic_noise(at::IntArrayRef latent, at::TensorOptions options) const;
  ScoreDraw score(at::IntArrayRef latent, at::TensorOptions options, double shift) const;
  ScoreDraw critic_score(at::IntArrayRef latent, at::TensorOptions options, double shift) const;
};

struct DmdSettings {
  RolloutSettings rollout;
  bool exit_per_sample = false;
  GradientBoundary boundary = GradientBoundary::kOpenContext;
  double guidance = 3.0;
  double shift = 5.0;
  // Sees every record between the passes: to keep it, or in a test to spoil it.
  std::function<void(ExitRecord&)> on_record;
};

// What both updates need of a batch.
struct DmdBatch {
  ScoreText text;
  std::vector<int64_t> latent;  // [B, F, C, H, W]
  at::TensorOptions options;    // of latents
  at::Tensor given;             // first blocks that are not generated, or undefined
  DmdDraws draws;
};

// What a rollout looks like from afar: numbers that drift when training goes wrong. Means over the samples, so that
// they do not depend on how samples were batched.
struct LatentStatistics {
  double mean = 0;
  double spread = 0;  // standard deviation within a sample
  double motion = 0;  // mean absolute difference of neighbouring frames
};
LatentStatistics statistics_of(const ExitRecord& record);

struct GeneratorStep {
  at::Tensor loss;
  double dmd_gradient_norm = 0;  // mean over samples of the gradient's norm, over the frames that the loss counts
  double exit_step = 0;          // mean over samples
  RecoveryReport recovery;       // Pass 2 against Pass 1 of this very step
  LatentStatistics latents;
  bool are_scores_finite = true;  // where not, the loss must not be used: a teacher or critic is broken
};

// Pass 1, Pass 2, scores, loss; the loss carries the graph.
GeneratorStep generator_step(const CausalDit& generator, const CausalDit& teacher, const CausalDit& critic,
                             const DmdBatch& batch, const DmdSettings& settings);

struct CriticStep {
  at::Tensor loss;
  LatentStatistics latents;
};

// A rollout of its own, then flow matching on it; the loss carries the critic's graph.
CriticStep critic_step(const CausalDit& generator, const CausalDit& critic, const DmdBatch& batch,
                       const DmdSettings& settings);

}  // namespace sgf
