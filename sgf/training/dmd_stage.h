// The Self (Gradient) Forcing stage: generator, critic, their optimisers and the EMA, one step at a time.
#pragma once

#include "sgf/kernels/recorded_work.h"
#include "sgf/training/dmd_step.h"
#include "sgf/training/ema.h"
#include "sgf/training/learner.h"
#include "sgf/training/recovery_watch.h"
#include "sgf/training/stage.h"
#include "sgf/training/update_part.h"
#include "sgf/training/update_schedule.h"
#include "sgf/training/update_sum.h"

#include <cstdint>
#include <functional>

namespace sgf {

struct DmdStageSettings {
  DmdSettings dmd;
  LearnerSettings generator;
  LearnerSettings critic{.optimiser = {.learning_rate = 4e-7}};
  UpdateSchedule schedule;
  double ema_decay = 0.99;
  int64_t ema_start_step = 200;
  BatchSizes batch;
  RecoveryWatch recovery;
  bool record_launches = false;  // on a GPU: record the launches of an update and replay them
  uint64_t seed = 1;
  std::vector<int64_t> latent;  // [F, C, H, W]
};

// Inputs of the global samples [first, first + count) of a step's update.
struct DmdData {
  std::function<ScoreText(UpdateKind kind, int64_t step, int64_t first, int64_t count)>
      prompts;  // [count, L, text_dim]
  // First blocks of true clips [count, n, C, H, W]; empty if every block is generated.
  std::function<at::Tensor(UpdateKind kind, int64_t step, int64_t first, int64_t count)> given;
  // The same for the run's `count` sample prompts.
  std::function<at::Tensor(int64_t count)> sample_given;
};

// The inputs of an update of `part`.
DmdBatch dmd_batch(const DmdStageSettings& settings, const DmdData& data, const CausalDit& generator, UpdateKind kind,
                   int64_t step, const MicroBatch& part);

class DmdStage final : public Stage {
 public:
  // All three networks are on one device; the teacher is not updated. Ranks start from equal weights and must outlive
  // the stage.
  DmdStage(DmdStageSettings settings, TrainedDit generator, CausalDit teacher, TrainedDit critic, DmdData data,
           const Ranks& ranks = Ranks::alone());

  // Updates the generator if it is due, then the critic, whose rollout uses the updated generator.
  StepReport step(int64_t step) override;

  StageState state() const override;
  void restore(const StageState& state) override;

  // All denoising steps with the EMA; starts from given first blocks if training does.
  at::Tensor sample(const at::Tensor& text, uint64_t seed) const override;

  const Learner& generator() const { return generator_; }
  const Learner& critic() const { return critic_; }
  const Ema& ema() const { return ema_; }

 private:
  DmdBatch batch(UpdateKind kind, int64_t step, const MicroBatch& part) const;
  DmdNetworks networks() const { return {generator_.network(), teacher_, critic_.network()}; }
  // On a GPU, optionally replays a recording: one per exit and kind of update.
  template <class Work>
  UpdatePart computed(UpdateKind kind, const DmdInputs& inputs, const Work& work);
  void update_generator(int64_t step, StepReport& report);
  void update_critic(int64_t step, StepReport& report);

  DmdStageSettings settings_;
  Learner generator_;
  CausalDit teacher_;
  Learner critic_;
  DmdData data_;
  const Ranks* ranks_;
  Ema ema_;
  RecordedWork recorded_;
};

}  // namespace sgf
