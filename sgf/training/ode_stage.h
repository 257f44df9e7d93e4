// Stages that learn from stored teacher paths: they make few-step causal students as a start for Self Forcing.
#pragma once

#include "sgf/objectives/ode_regression.h"
#include "sgf/rollout/roll_out.h"
#include "sgf/training/single_network_stage.h"

#include <functional>
#include <vector>

namespace sgf {

struct OdeStageSettings {
  // Of the teacher. true: one state per sample, noisy blocks attend to the clean data blocks before them. false: one
  // state per block, noisy blocks attend to the noisy blocks before them.
  bool is_causal = true;
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

// All inputs of the loss.
struct OdeInputs {
  at::Tensor state, t;  // [B, F, C, H, W] and [B, F]
  at::Tensor end;       // [B, F, C, H, W]
  at::Tensor text;      // [B, L, text_dim]
  at::Tensor data;      // as end; undefined unless the teacher is causal

  std::vector<at::Tensor> tensors() const {
    std::vector<at::Tensor> out{state, t, end, text};
    if (data.defined()) out.push_back(data);
    return out;
  }
  static OdeInputs of(const std::vector<at::Tensor>& in) {
    return {in.at(0), in.at(1), in.at(2), in.at(3), in.size() > 4 ? in[4] : at::Tensor()};
  }
};

class OdeStage final : public StageWithInputs<OdeInputs> {
 public:
  OdeStage(OdeStageSettings settings, TrainedDit network, PathBatches paths, const Ranks& ranks = Ranks::alone());

  // With all denoising steps of a rollout.
  at::Tensor sample(const at::Tensor& text, uint64_t seed) const override;

 private:
  OdeInputs inputs(int64_t step, const MicroBatch& part) const override;
  at::Tensor loss(const OdeInputs& inputs) const override;
  at::Tensor draw_states(int64_t sample, int64_t count) const;

  OdeStageSettings settings_;
  ReconstructionMask mask_;
  PathBatches paths_;
};

}  // namespace sgf
