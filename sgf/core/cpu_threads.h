// The number of CPU threads for some work, and of usable cores. Nothing here changes a setting. Torch-free.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sgf {

// 1 or `cores`. `multiply_adds` are those of the largest matrix product in a layer. Threads synchronize after every
// product, so small networks are faster with one thread.
int64_t choose_threads(double multiply_adds, int64_t cores);

// Cores that this process may use, by its affinity and by the CPU quota of its container; at least 1.
int64_t usable_cores();

// The CPU quota in a cgroup's cpu.max ("150000 100000"), rounded up to whole cores; nullopt without a limit.
std::optional<int64_t> cores_of_quota(std::string_view cpu_max);

// Whether OMP_NUM_THREADS or MKL_NUM_THREADS is set.
bool environment_names_threads();

}  // namespace sgf
