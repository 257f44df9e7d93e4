// All that Pass 1 hands to Pass 2.
#pragma once

#include "sgf/context/context_policy.h"
#include "sgf/core/frame_span.h"
#include "sgf/schedule/sigma_rule.h"

#include <ATen/core/Tensor.h>

namespace sgf {

// Input and prediction of the network at the exit step. No tensor in it requires grad.
struct ExitRecord {
  ContextPolicy policy;
  BlockLayout layout;
  at::Tensor t;              // [B], float64: exit timestep per sample, from the warped list (1000, 937.5, ...)
  at::Tensor noisy;          // [B, F, C, H, W], network input at the exit step
  at::Tensor prediction;     // [B, F, C, H, W], clean latents predicted from it
  at::Tensor context;        // [B, F, C, H, W], what was written to the cache
  int64_t given_frames = 0;  // leading frames that were given, not generated: context only, equal in all three
  SigmaRule sigma;           // used for denoising in both passes
  at::Tensor first_t;        // [B], float64: t of the first block if it has steps of its own; else undefined

  // [B, F]: the exit timestep of every frame.
  at::Tensor frame_timesteps() const;

  // Throws if shapes or the layout disagree, or a tensor requires grad.
  void validate() const;
};

}  // namespace sgf
