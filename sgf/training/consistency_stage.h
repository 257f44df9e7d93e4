// Causal consistency distillation: makes a few-step student from a teacher-forced teacher, without stored paths.
#pragma once

#include "sgf/objectives/consistency.h"
#include "sgf/rollout/roll_out.h"
#include "sgf/training/clip_stage.h"

#include <optional>
#include <vector>

namespace sgf {

struct ConsistencyStageSettings {
  SingleNetworkSettings update;  // the EMA is the target from the first step; its start step is not used
  uint64_t seed = 1;
  double guidance = 3;
  SolverGrid grid;
  RolloutSettings rollout;      // for samples; training uses its policy and layout
  std::vector<int64_t> latent;  // [C, H, W]
  at::Tensor negative_text;     // [1, L, text_dim]
};

class ConsistencyStage final : public SingleNetworkStage {
 public:
  // The teacher is never updated.
  ConsistencyStage(ConsistencyStageSettings settings, TrainedDit student, CausalDit teacher, ClipBatches clips,
                   const Ranks& ranks = Ranks::alone());

  // With all denoising steps of a rollout.
  at::Tensor sample(const at::Tensor& text, uint64_t seed) const override;

 private:
  void prepare_step() override { set_weights(*target_, ema().average()); }
  std::vector<at::Tensor> inputs(int64_t step, const MicroBatch& part) const override;
  at::Tensor loss(const std::vector<at::Tensor>& inputs) const override;

  ConsistencyStageSettings settings_;
  ReconstructionMask mask_;
  CausalDit teacher_;
  std::optional<CausalDit> target_;  // the EMA before the step
  ClipBatches clips_;
};

}  // namespace sgf
