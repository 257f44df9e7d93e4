#include "sgf/objectives/ode_regression.h"

#include "sgf/kernels/wide.h"
#include "sgf/schedule/flow_match.h"

#include <ATen/ATen.h>

namespace sgf {
namespace {

OdeRegression regress(const CausalDit& student, const OdeStates& states, const AttentionContext& context) {
  const at::Tensor flow = student.forward(states.state, states.t, student.embed(states.text), context);
  const at::Tensor prediction = x0_from_flow(states.state, flow, sigmas_at(states.sigma, states.t));
  return {(prediction - wide(states.target)).square().mean(), prediction};
}

}  // namespace

OdeRegression causal_ode_loss(const CausalDit& student, const OdeStates& states, const at::Tensor& data,
                              const ReconstructionMask& mask) {
  return regress(student, states, Parallel{data, mask, GradientBoundary::kOpenContext});
}

OdeRegression bidirectional_ode_loss(const CausalDit& student, const OdeStates& states, const BlockCausal& blocks) {
  return regress(student, states, blocks);
}

}  // namespace sgf
