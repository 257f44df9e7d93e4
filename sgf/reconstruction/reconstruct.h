// Pass 2: every block's exit prediction again, in one parallel forward that a loss can flow back through.
#pragma once

#include "sgf/context/gradient_boundary.h"
#include "sgf/model/causal_dit.h"
#include "sgf/rollout/exit_record.h"

namespace sgf {

// Clean latents [B, F, C, H, W], equal to the record's predictions up to rounding; given frames as they were given.
at::Tensor reconstruct(const CausalDit& generator, const PromptText& text, const ExitRecord& record,
                       GradientBoundary boundary);

}  // namespace sgf
