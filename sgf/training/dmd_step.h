// One step of distribution-matching training: what is drawn, what is computed. No loop, no file, no optimiser here.
#pragma once

#include "sgf/reconstruction/recovery_report.h"
#include "sgf/rollout/roll_out.h"
#include "sgf/training/dmd_draws.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace sgf {

struct DmdSettings {
  RolloutSettings rollout;
  int64_t first_exit = 1;
  ExitSharing exits = ExitSharing::kShared;
  GradientBoundary boundary = GradientBoundary::kOpenContext;
  double guidance = 3.0;
  ScoreTimes score;
  bool score_above_next_step = false;  // of a rollout that stopped early, at the noise it would have gone on from
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

// All that an update computes with: drawn beforehand and on the device, so that the computation neither waits for the
// device nor asks the host, and can be recorded.
struct DmdInputs {
  ExitSteps exits;
  std::vector<at::Tensor> noise;  // of the rollout: block by block, as many draws each
  ScoreDraw score;
  ScoreText text;
  at::Tensor given;  // or undefined

  double exit_step() const;  // mean over samples
  std::vector<at::Tensor> tensors() const;
  // The same update on other tensors, in that order.
  DmdInputs with(const std::vector<at::Tensor>& tensors) const;
};
DmdInputs generator_inputs(const DmdBatch& batch, const DmdSettings& settings);
DmdInputs critic_inputs(const DmdBatch& batch, const DmdSettings& settings);

// A loss with its graph, and numbers on the device that the host reads when all is queued.
struct DmdResult {
  at::Tensor loss;
  at::Tensor numbers;  // float64
};

// What a rollout looks like from afar: numbers that drift when training goes wrong. Means over the samples, so that
// they do not depend on how samples were batched.
struct LatentStatistics {
  double mean = 0;
  double spread = 0;  // standard deviation within a sample
  double motion = 0;  // mean absolute difference of neighbouring frames
};
// Of a generator update.
struct GeneratorNumbers {
  double dmd_gradient_norm = 0;  // mean over samples of the gradient's norm, over the frames that the loss counts
  RecoveryReport recovery;       // Pass 2 against Pass 1 of this very step
  LatentStatistics latents;
  bool are_scores_finite = true;  // where not, the loss must not be used: a teacher or critic is broken
};
GeneratorNumbers generator_numbers(const at::Tensor& numbers);
LatentStatistics critic_numbers(const at::Tensor& numbers);

// Pass 1, Pass 2, scores, loss.
DmdResult generator_result(const CausalDit& generator, const CausalDit& teacher, const CausalDit& critic,
                           const DmdInputs& inputs, const DmdSettings& settings);

// A rollout of its own, then flow matching on it; the loss carries the critic's graph.
DmdResult critic_result(const CausalDit& generator, const CausalDit& critic, const DmdInputs& inputs,
                        const DmdSettings& settings);

// The same from a batch to numbers, in one call.
struct GeneratorStep : GeneratorNumbers {
  at::Tensor loss;
  double exit_step = 0;  // mean over samples
};
GeneratorStep generator_step(const CausalDit& generator, const CausalDit& teacher, const CausalDit& critic,
                             const DmdBatch& batch, const DmdSettings& settings);

struct CriticStep {
  at::Tensor loss;
  LatentStatistics latents;
};
CriticStep critic_step(const CausalDit& generator, const CausalDit& critic, const DmdBatch& batch,
                       const DmdSettings& settings);

}  // namespace sgf
