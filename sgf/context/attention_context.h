// How the network is called: each mode is a type and holds everything that the mode needs.
#pragma once

#include "sgf/context/context_cache.h"
#include "sgf/context/context_policy.h"
#include "sgf/context/gradient_boundary.h"
#include "sgf/context/position_rule.h"
#include "sgf/context/reconstruction_mask.h"

#include <ATen/core/Tensor.h>

#include <variant>

namespace sgf {

// Every frame sees every frame: teachers, critics, pre-training.
struct Bidirectional {};

// A noisy block sees itself and the noisy blocks before it; there is no clean half.
struct BlockCausal {
  ContextPolicy policy;
  BlockLayout layout;
};

// One block with the cache: Pass 1 and streaming.
struct Serial {
  ContextCache& cache;
  FrameSpan block;
  PositionRule positions;
};

// All blocks at once over [context | noisy]: Pass 2 and teacher forcing. Positions are absolute.
struct Parallel {
  at::Tensor context;  // [B, F, C, H, W], clean latents; blocks at the end that no block reads may be missing
  const ReconstructionMask& mask;
  GradientBoundary boundary;
  double context_timestep = 0.0;
};

using AttentionContext = std::variant<Bidirectional, BlockCausal, Serial, Parallel>;

}  // namespace sgf
