#include "sgf/core/error.h"
#include "sgf/training/distributed/rank_groups.h"

namespace sgf {

bool has_nccl() { return false; }

RankGroup make_nccl_group(const RankPlace& place, const RankStore&, std::chrono::milliseconds) {
  fail("{} ranks with tensors on a GPU need NCCL, but this build has no NCCL: build the CUDA preset", place.size);
}

}  // namespace sgf
