// The memory of a training run: the resident part, and the addition of every phase of a step. Torch-free.
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
  std::vector<MemoryRow> phases;   // peak of each in addition to the resident part, with the allocator's share
  std::vector<MemoryRow> details;  // main parts of the phases: cache, kept activations, summed gradients

  int64_t resident_bytes() const;
  const MemoryRow& largest_phase() const;
  int64_t peak_bytes() const { return resident_bytes() + largest_phase().bytes; }
};

// Tensors are counted exactly; the allocator adds rounding, the libraries their workspaces. Measured peaks of Pass 2
// (docs/performance.md: 14.3, 14.9 and 19.2 GiB) are 1.2 to 3.1 % above the counted allocations of an update.
constexpr double kAllocatorShare = 0.02;

// For one device with `parts` forwards of train.micro_batch samples per update. Without a given size, the dmd teacher
// has the generator's.
MemoryPlan plan_memory(const Config& config, int64_t parts, const std::optional<DitConfig>& teacher = {});

}  // namespace sgf
