// Regression on teacher paths: a few-step student predicts the end of a path from an intermediate state.
#pragma once

#include "sgf/context/attention_context.h"
#include "sgf/model/causal_dit.h"
#include "sgf/schedule/sigma_rule.h"

#include <ATen/core/Tensor.h>

namespace sgf {

// Path states and path ends.
struct OdeStates {
  at::Tensor state;   // [B, F, C, H, W], noisy
  at::Tensor t;       // [B, F]; the same for all frames of a sample in causal_ode, of a block in bidirectional_ode
  at::Tensor target;  // as state: the end of the path
  at::Tensor text;    // [B, L, text_dim]
  SigmaRule sigma;
};

struct OdeRegression {
  at::Tensor loss;        // mean squared error of the clean latents
  at::Tensor prediction;  // [B, F, C, H, W]
};

// For a teacher-forced teacher: [data | state], every noisy block attends to the clean blocks of `data` before it.
OdeRegression causal_ode_loss(const CausalDit& student, const OdeStates& states, const at::Tensor& data,
                              const ReconstructionMask& mask);

// For a bidirectional teacher: no clean half, every block attends to itself and the noisy blocks before it.
OdeRegression bidirectional_ode_loss(const CausalDit& student, const OdeStates& states, const BlockCausal& blocks);

}  // namespace sgf
