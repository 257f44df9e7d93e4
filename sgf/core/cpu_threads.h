// How many CPU threads work is worth, and how many cores there are for it. Changes no setting: the program does.
// Torch-free.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sgf {

// `multiply_adds`: of the largest product in a layer of the network. Threads meet after every product, so that small
// networks are faster with one; large ones get all cores.
int64_t choose_threads(double multiply_adds, int64_t cores);

// Those this process may use, by its affinity and by the CPU quota of its container; at least 1.
int64_t usable_cores();

// The quota that a cgroup's cpu.max ("150000 100000") stands for, rounded up to whole cores; nothing without a limit.
std::optional<int64_t> cores_of_quota(std::string_view cpu_max);

// Whether the user's environment names a number of threads, in OMP_NUM_THREADS or MKL_NUM_THREADS.
bool environment_names_threads();

}  // namespace sgf
