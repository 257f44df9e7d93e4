// The paper's updates, each once: what is drawn, what is computed. Training runs them, `sgf verify` replays them and
// `sgf bench` times them. No loop, no file, no optimiser here.
#pragma once

#include "sgf/reconstruction/recovery_report.h"
#include "sgf/rollout/roll_out.h"
#include "sgf/training/dmd_draws.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sgf {

enum class UpdateKind { kGenerator, kCritic };

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

// The noise of a rollout as DmdInputs holds it: every draw that it may ask for.
std::vector<at::Tensor> drawn_noise(const BlockNoise& noise, const RolloutSettings& rollout, const ExitSteps& exits);

struct DmdNetworks {
  const CausalDit& generator;
  const CausalDit& teacher;
  const CausalDit& critic;
};

// Told when a part of an update has been queued: "rollout", "reconstruct", "score", "forward".
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
// A rollout of its own, then flow matching on it.
CriticUpdate compute_critic_update(const DmdNetworks& networks, const DmdInputs& inputs, const DmdSettings& settings,
                                   const PhaseSeen& seen = {});

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
// Numbers of an update as one float64 tensor on the device, and read from there: the host waits once, when all is
// queued.
at::Tensor numbers_of(const GeneratorUpdate& update);
at::Tensor numbers_of(const CriticUpdate& update);
GeneratorNumbers generator_numbers(const at::Tensor& numbers);
LatentStatistics critic_numbers(const at::Tensor& numbers);

// The same from a batch to numbers, in one call.
struct GeneratorStep : GeneratorNumbers {
  at::Tensor loss;
  double exit_step = 0;  // mean over samples
};
GeneratorStep generator_step(const DmdNetworks& networks, const DmdBatch& batch, const DmdSettings& settings);

struct CriticStep {
  at::Tensor loss;
  LatentStatistics latents;
};
CriticStep critic_step(const DmdNetworks& networks, const DmdBatch& batch, const DmdSettings& settings);

}  // namespace sgf
