// The libraries that move tensors between ranks, behind c10d's interface. A build without one of them throws when it is
// needed.
#pragma once

#include "sgf/training/distributed/rank_meeting.h"

#include <torch/csrc/distributed/c10d/Backend.hpp>

namespace sgf {

using RankGroup = c10::intrusive_ptr<c10d::Backend>;

bool has_gloo();
void require_gloo(const RankPlace& place);  // throws with what to install
RankGroup make_gloo_group(const RankPlace& place, const RankStore& store, std::chrono::milliseconds timeout);

bool has_nccl();
RankGroup make_nccl_group(const RankPlace& place, const RankStore& store, std::chrono::milliseconds timeout);

}  // namespace sgf
