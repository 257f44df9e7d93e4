// Pass 2: recomputes the exit prediction of every block in one parallel forward with gradient.
#pragma once

#include "sgf/context/gradient_boundary.h"
#include "sgf/model/causal_dit.h"
#include "sgf/rollout/exit_record.h"

namespace sgf {

// Clean latents [B, F, C, H, W], equal to the record's predictions up to rounding; given frames are copied.
at::Tensor reconstruct(const CausalDit& generator, const PromptText& text, const ExitRecord& record,
                       GradientBoundary boundary);

}  // namespace sgf
