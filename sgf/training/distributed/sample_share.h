// Which samples of an update a rank runs. Samples keep their global index, and with it their noise and their prompt.
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

// Contiguous shares in the order of the ranks that differ by at most one sample: a gradient is weighted by its samples,
// so any number of ranks makes the same update. Refuses fewer samples than ranks.
SampleShare share_of(int64_t global_batch, int64_t ranks, int64_t rank);

}  // namespace sgf
