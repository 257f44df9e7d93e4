#define USE_C10D_NCCL 1

#include "sgf/training/distributed/rank_groups.h"

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

namespace sgf {

bool has_nccl() { return true; }

RankGroup make_nccl_group(const RankPlace& place, const RankStore& store, std::chrono::milliseconds timeout) {
  const auto options = c10d::ProcessGroupNCCL::Options::create();
  options->timeout = timeout;
  return c10::make_intrusive<c10d::ProcessGroupNCCL>(c10::make_intrusive<c10d::PrefixStore>("nccl", store),
                                                     static_cast<int>(place.rank), static_cast<int>(place.size),
                                                     options);
}

}  // namespace sgf
