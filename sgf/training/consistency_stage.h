// Causal consistency distillation: a teacher-forced teacher becomes a few-step student, without paths made beforehand.
#pragma once

#include "sgf/objectives/consistency.h"
#include "sgf/rollout/roll_out.h"
#include "sgf/training/clip_stage.h"

#include <optional>
#include <vector>

namespace sgf {

struct ConsistencyStageSettings {
  SingleNetworkSettings update;  // the average begins as the student and is the target: its start step plays no part
  uint64_t seed = 1;
  double guidance = 3;
  SolverGrid grid;
  RolloutSettings rollout;      // of samples; policy and layout of training too
  std::vector<int64_t> latent;  // [C, H, W]
  at::Tensor negative_text;     // [1, L, text_dim]
};

class ConsistencyStage final : public SingleNetworkStage {
 public:
  // The teacher is never updated.
  ConsistencyStage(ConsistencyStageSettings settings, TrainedDit student, CausalDit teacher, ClipBatches clips,
                   const Ranks& ranks = Ranks::alone());

  // By all denoising steps of a rollout.
  at::Tensor sample(const at::Tensor& text, uint64_t seed) const override;

 private:
  void prepare_step() override { set_weights(*target_, ema().average()); }
  std::vector<at::Tensor> inputs(int64_t step, const MicroBatch& part) const override;
  at::Tensor loss(const std::vector<at::Tensor>& inputs) const override;

  ConsistencyStageSettings settings_;
  ReconstructionMask mask_;
  CausalDit teacher_;
  std::optional<CausalDit> target_;  // the average as it stood before the step
  ClipBatches clips_;
};

}  // namespace sgf
