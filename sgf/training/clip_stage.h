// Stages that learn from clips: flow matching makes teachers, teacher forcing makes causal students.
#pragma once

#include "sgf/objectives/clip_loss.h"
#include "sgf/rollout/sample_video.h"
#include "sgf/schedule/flow_schedule.h"
#include "sgf/training/single_network_stage.h"

#include <functional>
#include <vector>

namespace sgf {

struct ClipStageSettings {
  // false: flow matching, one timestep per sample, every frame attends to every frame. true: teacher forcing, one
  // timestep per block, noisy blocks attend to the clean blocks before them.
  bool is_causal = false;
  SingleNetworkSettings update;
  uint64_t seed = 1;
  SigmaRule sigma;  // timesteps are drawn from its table, even if sigmas are not looked up in it
  ContextPolicy policy;
  BlockLayout layout;
  SamplerSettings sampler;
  at::Tensor empty_text;  // [1, L, text_dim] of the empty prompt
};

// Clips and text embeddings of the global samples [first, first + count) of a step.
struct TextClips {
  at::Tensor latents;  // [B, F, C, H, W]
  at::Tensor text;     // [B, L, text_dim]; of the empty prompt if the caption was dropped
};
using ClipBatches = std::function<TextClips(int64_t step, int64_t first, int64_t count)>;

// All inputs of the loss.
struct ClipInputs {
  at::Tensor latents, noise;  // [B, F, C, H, W]
  at::Tensor t, weights;      // [B, F]
  at::Tensor text;            // [B, L, text_dim]

  std::vector<at::Tensor> tensors() const { return {latents, noise, t, weights, text}; }
  static ClipInputs of(const std::vector<at::Tensor>& in) { return {in.at(0), in.at(1), in.at(2), in.at(3), in.at(4)}; }
};

class ClipStage final : public StageWithInputs<ClipInputs> {
 public:
  ClipStage(ClipStageSettings settings, TrainedDit network, ClipBatches clips, const Ranks& ranks = Ranks::alone());

  // With Euler steps; guidance is against the empty prompt.
  at::Tensor sample(const at::Tensor& text, uint64_t seed) const override;

 private:
  ClipInputs inputs(int64_t step, const MicroBatch& part) const override;
  at::Tensor loss(const ClipInputs& inputs) const override;
  at::Tensor draw_timesteps(int64_t sample, int64_t count) const;

  ClipStageSettings settings_;
  FlowSchedule schedule_;
  ReconstructionMask mask_;
  ClipBatches clips_;
};

}  // namespace sgf
