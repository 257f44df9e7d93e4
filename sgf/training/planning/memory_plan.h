// Where a training run's memory goes: what is always there, and what every phase of a step adds. Torch-free.
#pragma once

#include "sgf/config/config.h"
#include "sgf/model/dit_config.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

struct MemoryRow {
  std::string name;
  int64_t bytes = 0;
};

struct MemoryPlan {
  std::vector<MemoryRow> resident;
  std::vector<MemoryRow> phases;   // largest sum of each, on top of what is resident; the allocator's share is in it
  std::vector<MemoryRow> details;  // parts of the phases worth a line: cache, kept activations, summed gradients

  int64_t resident_bytes() const;
  const MemoryRow& largest_phase() const;
  int64_t peak_bytes() const { return resident_bytes() + largest_phase().bytes; }
};

// Tensors are counted exactly; the allocator adds its rounding and the libraries their workspaces. Measured peaks of
// Pass 2 (docs/performance.md: 14.3, 14.9 and 19.2 GiB) lie 1.2 to 3.1 % over the count of what an update allocates.
constexpr double kAllocatorShare = 0.02;

// One device, `parts` forwards of train.micro_batch samples an update. The teacher of dmd has the generator's size
// where none is given.
MemoryPlan plan_memory(const Config& config, int64_t parts, const std::optional<DitConfig>& teacher = {});

}  // namespace sgf
