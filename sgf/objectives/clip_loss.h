// Losses on clips: flow matching over all frames together, and teacher forcing block by block.
#pragma once

#include "sgf/context/reconstruction_mask.h"
#include "sgf/model/causal_dit.h"
#include "sgf/schedule/sigma_rule.h"

#include <ATen/core/Tensor.h>

namespace sgf {

// A batch of clips and its noise.
struct NoisedClips {
  at::Tensor clean;    // [B, F, C, H, W]
  at::Tensor noise;    // the same
  at::Tensor t;        // [B, F]; the same for all frames of a sample in flow matching, of a block in teacher forcing
  at::Tensor weights;  // [B, F]: bell_weights of t
  at::Tensor text;     // [B, L, text_dim]
  SigmaRule sigma;
};

// Every frame attends to every frame; weighted mean squared error of the flow.
at::Tensor bidirectional_loss(const CausalDit& dit, const NoisedClips& clips);

// [clean | noisy] under the mask of Pass 2: every noisy block attends to the clean blocks before it.
at::Tensor teacher_forcing_loss(const CausalDit& dit, const NoisedClips& clips, const ReconstructionMask& mask);

}  // namespace sgf
