// The paper's updates: draws and computation. Training runs them, `sgf verify` replays them and `sgf bench` times them.
// No loops, files or optimisers here.
#pragma once

#include "sgf/reconstruction/recovery_report.h"
#include "sgf/rollout/roll_out.h"
#include "sgf/training/dmd_draws.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sgf {

struct DmdSettings {
  RolloutSettings rollout;
  int64_t first_exit = 1;
  ExitSharing exits = ExitSharing::kShared;
  GradientBoundary boundary = GradientBoundary::kOpenContext;
  double guidance = 3.0;
  ScoreTimes score;
  bool score_above_next_step = false;  // for early exits: score only above the noise level of the next step
  // Called with every record between the passes: to store it, or to modify it in a test.
  std::function<void(ExitRecord&)> on_record;
};

// Inputs that both updates take from a batch.
struct DmdBatch {
  ScoreText text;
  std::vector<int64_t> latent;  // [B, F, C, H, W]
  at::TensorOptions options;    // of latents
  at::Tensor given;             // first blocks that are not generated, or undefined
  DmdDraws draws;
};

// All inputs of an update, drawn beforehand and on the device. The computation needs no synchronisation and can be
// recorded.
struct DmdInputs {
  ExitSteps exits;
  std::vector<at::Tensor> noise;  // of the rollout: the draws of the first block, of the second, ...
  ScoreDraw score;
  ScoreText text;
  at::Tensor given;  // or undefined

  double exit_step() const;  // mean over samples
  std::vector<at::Tensor> tensors() const;
  // The same update with other tensors, in that order.
  DmdInputs with(const std::vector<at::Tensor>& tensors) const;
};
DmdInputs drawn_inputs(UpdateKind kind, const DmdBatch& batch, const DmdSettings& settings);

// All noise draws of a rollout, as DmdInputs holds them.
std::vector<at::Tensor> drawn_noise(const BlockNoise& noise, const RolloutSettings& rollout, const ExitSteps& exits);

struct DmdNetworks {
  const CausalDit& generator;
  const CausalDit& teacher;
  const CausalDit& critic;
};

// Called when a part of an update has been queued: "rollout", "reconstruct", "score", "forward".
using PhaseSeen = std::function<void(const std::string& phase)>;

struct GeneratorUpdate {
  ExitRecord record;          // of Pass 1
  at::Tensor reconstruction;  // of Pass 2, with graph
  GeneratorLoss objective;    // of the scores, its loss with graph
};
// Pass 1, Pass 2, scores, loss.
GeneratorUpdate compute_generator_update(const DmdNetworks& networks, const DmdInputs& inputs,
                                         const DmdSettings& settings, const PhaseSeen& seen = {});

struct CriticUpdate {
  ExitRecord record;
  at::Tensor loss;  // with the critic's graph
};
// A separate rollout, then flow matching on it.
CriticUpdate compute_critic_update(const DmdNetworks& networks, const DmdInputs& inputs, const DmdSettings& settings,
                                   const PhaseSeen& seen = {});

// Statistics of a rollout that drift when training goes wrong. Means over samples, independent of the batching.
struct LatentStatistics {
  double mean = 0;
  double spread = 0;  // standard deviation within a sample
  double motion = 0;  // mean absolute difference between neighbouring frames
};
// Of a generator update.
struct GeneratorNumbers {
  double dmd_gradient_size = 0;  // mean absolute value of the gradient over the frames of the loss
  double dmd_gradient_l2 = 0;    // its L2 norm over the frames of the loss, mean over samples
  RecoveryReport recovery;       // Pass 2 against Pass 1 of this step
  LatentStatistics latents;
  bool are_scores_finite = true;  // if false, do not use the loss: the teacher or critic is broken
};
// Numbers of an update as one float64 tensor on the device, and reading them: the host synchronises once, when all is
// queued.
at::Tensor numbers_of(const GeneratorUpdate& update);
at::Tensor numbers_of(const CriticUpdate& update);
GeneratorNumbers generator_numbers(const at::Tensor& numbers);
LatentStatistics critic_numbers(const at::Tensor& numbers);

// From a batch to numbers in one call.
struct GeneratorStep : GeneratorNumbers {
  at::Tensor loss;
  double exit_step = 0;  // mean over samples
};
GeneratorStep generator_step(const DmdNetworks& networks, const DmdBatch& batch, const DmdSettings& settings);

}  // namespace sgf
