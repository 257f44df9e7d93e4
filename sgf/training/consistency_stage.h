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

// All inputs of the loss.
struct ConsistencyInputs {
  at::Tensor latents, noise;     // [B, F, C, H, W]
  at::Tensor text;               // [B, L, text_dim]
  at::Tensor sigma, sigma_next;  // as GridSteps

  std::vector<at::Tensor> tensors() const { return {latents, noise, text, sigma, sigma_next}; }
  static ConsistencyInputs of(const std::vector<at::Tensor>& in) {
    return {in.at(0), in.at(1), in.at(2), in.at(3), in.at(4)};
  }
};

class ConsistencyStage final : public StageWithInputs<ConsistencyInputs> {
 public:
  // The teacher is never updated.
  ConsistencyStage(ConsistencyStageSettings settings, TrainedDit student, CausalDit teacher, ClipBatches clips,
                   const Ranks& ranks = Ranks::alone());

  // With all denoising steps of a rollout.
  at::Tensor sample(const at::Tensor& text, uint64_t seed) const override;

 private:
  void prepare_step() override { set_weights(*target_, ema().average()); }
  ConsistencyInputs inputs(int64_t step, const MicroBatch& part) const override;
  at::Tensor loss(const ConsistencyInputs& inputs) const override;

  ConsistencyStageSettings settings_;
  ReconstructionMask mask_;
  CausalDit teacher_;
  std::optional<CausalDit> target_;  // the EMA before the step
  ClipBatches clips_;
};

}  // namespace sgf
