// The straight path between noise and data: x_t = (1 - sigma) x0 + sigma eps, with flow v = eps - x0.
// Everything is computed and returned in float32 or wider, also for bfloat16 inputs: near sigma 0 and 1 the differences
// are smaller than a bfloat16 step. Callers that want bfloat16 round the result.
#pragma once

#include "sgf/schedule/sigma_rule.h"

#include <ATen/core/Tensor.h>

namespace sgf {

// The rule's sigma of every timestep of t, computed on t's device without the host or a table.
at::Tensor sigmas_at(const SigmaRule& rule, const at::Tensor& t);

// `sigma` has one value per leading index of x: [], [B] or [B, F] for x [B, F, C, H, W].
at::Tensor add_noise(const at::Tensor& x0, const at::Tensor& noise, const at::Tensor& sigma);
at::Tensor add_noise(const at::Tensor& x0, const at::Tensor& noise, double sigma);

// x0 = x_t - sigma v
at::Tensor x0_from_flow(const at::Tensor& x_t, const at::Tensor& flow, const at::Tensor& sigma);
at::Tensor x0_from_flow(const at::Tensor& x_t, const at::Tensor& flow, double sigma);

// v = eps - x0, the training target of the network.
at::Tensor flow_target(const at::Tensor& x0, const at::Tensor& noise);

}  // namespace sgf
