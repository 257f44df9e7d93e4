// The libraries that move tensors between ranks, each behind c10d's one interface. A build without one of them has a
// file in its place that says so when asked.
#pragma once

#include "sgf/training/distributed/rank_meeting.h"

#include <torch/csrc/distributed/c10d/Backend.hpp>

namespace sgf {

using RankGroup = c10::intrusive_ptr<c10d::Backend>;

bool has_gloo();
void require_gloo(const RankPlace& place);  // says what to install
RankGroup make_gloo_group(const RankPlace& place, const RankStore& store, std::chrono::milliseconds timeout);

bool has_nccl();
RankGroup make_nccl_group(const RankPlace& place, const RankStore& store, std::chrono::milliseconds timeout);

}  // namespace sgf
