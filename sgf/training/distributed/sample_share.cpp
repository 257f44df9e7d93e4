#include "sgf/training/distributed/sample_share.h"

#include "sgf/core/error.h"

#include <algorithm>

namespace sgf {

SampleShare share_of(int64_t global_batch, int64_t ranks, int64_t rank) {
  SGF_CHECK(ranks >= 1 && rank >= 0 && rank < ranks, "rank {} does not exist among {} ranks", rank, ranks);
  SGF_CHECK(global_batch >= ranks,
            "a global batch of {} is too small for {} ranks: raise it to {} or start fewer ranks", global_batch, ranks,
            ranks);
  const int64_t least = global_batch / ranks, larger_shares = global_batch % ranks;
  return {rank * least + std::min(rank, larger_shares), least + (rank < larger_shares ? 1 : 0)};
}

}  // namespace sgf
