// Flow matching: the error of a predicted flow against noise minus data.
#pragma once

#include "sgf/schedule/flow_schedule.h"

#include <ATen/core/Tensor.h>

namespace sgf {

// Weight of the schedule's bell at every timestep of t [B, F], float32 or wider as `like`.
at::Tensor bell_weights(const FlowSchedule& schedule, const at::Tensor& t, const at::Tensor& like);

// Mean squared error between flow and target [B, F, C, H, W], weighted per frame if `weights` [B, F] are given.
at::Tensor flow_matching_loss(const at::Tensor& flow, const at::Tensor& target, const at::Tensor& weights = {});

}  // namespace sgf
