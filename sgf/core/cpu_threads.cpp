#include "sgf/core/cpu_threads.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>

namespace sgf {
namespace {

// Some 10 ms of one core. Below it two threads gained nothing on a machine of two cores, above it up to 1.6 times.
constexpr double kWorthAThread = 256e6;

int64_t cores_of_affinity() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (::sched_getaffinity(0, sizeof(cores), &cores) == 0) return CPU_COUNT(&cores);
  return static_cast<int64_t>(std::thread::hardware_concurrency());  // more cores than the set has places for
}

bool is_named(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

int64_t choose_threads(double multiply_adds, int64_t cores) {
  const double most = static_cast<double>(std::max<int64_t>(cores, 1));
  return static_cast<int64_t>(std::clamp(multiply_adds / kWorthAThread, 1.0, most));
}

int64_t usable_cores() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  const std::string quota{std::istreambuf_iterator<char>(file), {}};
  const int64_t cores = cores_of_affinity();
  return std::max<int64_t>(1, std::min(cores, cores_of_quota(quota).value_or(cores)));
}

std::optional<int64_t> cores_of_quota(std::string_view cpu_max) {
  std::istringstream text{std::string(cpu_max)};
  int64_t quota = 0, period = 0;
  if (!(text >> quota >> period) || quota <= 0 || period <= 0) return {};  // "max 100000", or no cgroup
  return std::max<int64_t>(1, quota / period + (quota % period > 0 ? 1 : 0));
}

bool environment_names_threads() { return is_named("OMP_NUM_THREADS") || is_named("MKL_NUM_THREADS"); }

}  // namespace sgf
