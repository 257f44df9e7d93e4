// All that crosses from Pass 1 to Pass 2.
#pragma once

#include "sgf/context/context_policy.h"
#include "sgf/core/frame_span.h"
#include "sgf/schedule/sigma_rule.h"

#include <ATen/core/Tensor.h>

namespace sgf {

// What went into the network at the exit step and what it predicted there. Nothing in it requires grad.
struct ExitRecord {
  ContextPolicy policy;
  BlockLayout layout;
  at::Tensor t;              // [B], float64: timestep of each sample's exit, of the warped list (1000, 937.5, ...)
  at::Tensor noisy;          // [B, F, C, H, W], the latents fed to the model at the exit step
  at::Tensor prediction;     // [B, F, C, H, W], the clean latents it predicted
  at::Tensor context;        // [B, F, C, H, W], what was written to the cache
  int64_t given_frames = 0;  // leading ones that were given, not generated: context only, the same in all three
  SigmaRule sigma;           // by which Pass 1 took noise off, and Pass 2 does again

  // Throws where shapes or the layout disagree, or a tensor carries a graph.
  void validate() const;
};

}  // namespace sgf
