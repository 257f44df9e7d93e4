// Stages that learn from stored teacher paths: they make few-step causal students as a start for Self Forcing.
#pragma once

#include "sgf/objectives/ode_regression.h"
#include "sgf/rollout/roll_out.h"
#include "sgf/training/single_network_stage.h"

#include <functional>
#include <vector>

namespace sgf {

enum class OdeObjective {
  kCausal,         // one state per sample, noisy blocks attend to the clean data blocks before them
  kBidirectional,  // one state per block, noisy blocks attend to the noisy blocks before them
};

struct OdeStageSettings {
  OdeObjective objective = OdeObjective::kCausal;
  SingleNetworkSettings update;
  uint64_t seed = 1;
  RolloutSettings rollout;      // for samples; its timesteps are those of the stored states
  std::vector<int64_t> latent;  // [C, H, W]
};

// Teacher paths and text embeddings of the global samples [first, first + count) of a step.
struct TextPaths {
  at::Tensor states;  // [B, K, F, C, H, W], noisiest first
  at::Tensor end;     // [B, F, C, H, W]
  at::Tensor data;    // the same: the clip used for the path; undefined if there is none
  at::Tensor text;    // [B, L, text_dim]
};
using PathBatches = std::function<TextPaths(int64_t step, int64_t first, int64_t count)>;

class OdeStage final : public SingleNetworkStage {
 public:
  OdeStage(OdeStageSettings settings, TrainedDit network, PathBatches paths, const Ranks& ranks = Ranks::alone());

  // With all denoising steps of a rollout.
  at::Tensor sample(const at::Tensor& text, uint64_t seed) const override;

 private:
  std::vector<at::Tensor> inputs(int64_t step, const MicroBatch& part) const override;
  at::Tensor loss(const std::vector<at::Tensor>& inputs) const override;
  at::Tensor draw_states(int64_t sample, int64_t count) const;

  OdeStageSettings settings_;
  ReconstructionMask mask_;
  PathBatches paths_;
};

}  // namespace sgf
