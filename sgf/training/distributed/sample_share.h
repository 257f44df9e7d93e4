// The samples of an update that a rank runs. Samples keep their global index, which determines noise and prompt.
#pragma once

#include <cstdint>

namespace sgf {

// Samples [first, first + count) of an update's batch.
struct SampleShare {
  int64_t first = 0;
  int64_t count = 0;

  int64_t end() const { return first + count; }
  bool operator==(const SampleShare&) const = default;
};

// Contiguous shares in the order of the ranks; sizes differ by at most one sample. Gradients are weighted by samples,
// so any number of ranks gives the same update. Throws if there are fewer samples than ranks.
SampleShare share_of(int64_t global_batch, int64_t ranks, int64_t rank);

}  // namespace sgf
