// The Self (Gradient) Forcing stage: generator, critic, their optimisers and the slow average, one step at a time.
#pragma once

#include "sgf/training/adamw.h"
#include "sgf/training/distributed/ranks.h"
#include "sgf/training/dmd_step.h"
#include "sgf/training/ema.h"
#include "sgf/training/trained_dit.h"
#include "sgf/training/update_schedule.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace sgf {

// Metrics of one step under the names people know: generator_loss, critic_grad_norm, ...
using StepMetrics = std::map<std::string, double>;

struct DmdStageSettings {
  DmdSettings dmd;
  AdamWSettings generator;
  AdamWSettings critic{.learning_rate = 4e-7};
  UpdateSchedule schedule;
  double ema_decay = 0.99;
  int64_t ema_start_step = 200;
  int64_t global_batch = 64;  // samples an update
  int64_t micro_batch = 1;    // samples a forward; the rest is accumulated
  uint64_t seed = 1;
  std::vector<int64_t> latent;  // [F, C, H, W]
};

// Prompts by global sample: text rows [count, L, text_dim] for samples [first, first + count) of a step's update.
enum class UpdateKind { kGenerator, kCritic };
using PromptBatch = std::function<ScoreText(UpdateKind kind, int64_t step, int64_t first, int64_t count)>;

class DmdStage {
 public:
  // All three networks live on one device; the teacher is never updated. Each rank runs its share of every batch and
  // makes the update of the whole; `ranks` must outlive the stage.
  DmdStage(DmdStageSettings settings, TrainedDit generator, CausalDit teacher, TrainedDit critic, PromptBatch prompts,
           const Ranks& ranks = Ranks::alone());

  // The generator's update where it is due, then the critic's, whose rollout uses the updated generator.
  StepMetrics step(int64_t step);

  const TrainedDit& generator() const { return generator_; }
  const TrainedDit& critic() const { return critic_; }
  const Ema& ema() const { return ema_; }

  // Everything a later run needs to go on bit for bit, under "generator.", "critic.", "ema.", "generator_optimiser."
  // ...
  NamedTensors state() const;
  void restore(const NamedTensors& state);

 private:
  DmdBatch batch(UpdateKind kind, int64_t step, int64_t first, int64_t count) const;
  void update_generator(int64_t step, StepMetrics& metrics);
  void update_critic(int64_t step, StepMetrics& metrics);

  DmdStageSettings settings_;
  TrainedDit generator_;
  CausalDit teacher_;
  TrainedDit critic_;
  PromptBatch prompts_;
  const Ranks* ranks_;
  AdamW generator_optimiser_;
  AdamW critic_optimiser_;
  Ema ema_;
};

}  // namespace sgf
