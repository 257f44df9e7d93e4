// What a few-step student learns from a teacher's path: to name its end from a state on the way.
#pragma once

#include "sgf/context/attention_context.h"
#include "sgf/model/causal_dit.h"
#include "sgf/schedule/sigma_rule.h"

#include <ATen/core/Tensor.h>

namespace sgf {

// States of paths and where they end.
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

// The student of a teacher-forced teacher: [data | state], every noisy block sees the clean ones of `data` before it.
OdeRegression causal_ode_loss(const CausalDit& student, const OdeStates& states, const at::Tensor& data,
                              const ReconstructionMask& mask);

// The student of a bidirectional teacher: no clean half, every block sees the noisy ones before it and itself.
OdeRegression bidirectional_ode_loss(const CausalDit& student, const OdeStates& states, const BlockCausal& blocks);

}  // namespace sgf
