// Torch's CPU threads sleep while they wait for each other. By default they spin, which keeps the cores from whatever
// else runs: beside a compile on two cores, a small network took 50 times as long on two threads (docs/streaming.md).
//
// The OpenMP runtime reads this when it is loaded, before main: the program sets the variable and starts itself once
// more. It does so ahead of all libraries' initialisers, which are the greater part of a start. What the user has set
// stays. Sanitizers must come first themselves, so builds with one do without.
#include <sched.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace sgf {
namespace {

char wait_asleep[] = "OMP_WAIT_POLICY=PASSIVE";  // NOLINT: the environment is of char*

bool says_how_to_wait(const char* variable) {
  for (const char* name : {"OMP_WAIT_POLICY=", "GOMP_SPINCOUNT=", "KMP_BLOCKTIME="})
    if (std::strncmp(variable, name, std::strlen(name)) == 0) return true;
  return false;
}

bool has_one_core() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  return ::sched_getaffinity(0, sizeof(cores), &cores) == 0 && CPU_COUNT(&cores) == 1;
}

// By its own name, which `ps` shows; by the link where the file has been replaced since.
void start_again(char** arguments, char** environment) {
  std::array<char, 4096> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
  if (length > 0) ::execve(path.data(), arguments, environment);
  ::execve("/proc/self/exe", arguments, environment);
}

// Nothing of the C++ library or of malloc may be used here: neither is initialised. Where starting again fails, the
// program runs as it is.
void wait_passively(int /*count*/, char** arguments, char** environment) {
  size_t variables = 0;
  for (; environment[variables] != nullptr; ++variables)
    if (says_how_to_wait(environment[variables])) return;
  constexpr size_t kMost = 4096;
  if (variables + 2 > kMost || has_one_core()) return;
  std::array<char*, kMost> extended{};
  std::memcpy(extended.data(), environment, variables * sizeof(char*));
  extended[variables] = wait_asleep;
  start_again(arguments, extended.data());
}

// Ahead of the initialisers of shared libraries, as only the program itself may be.
__attribute__((section(".preinit_array"), used)) void (*const ahead_of_libraries)(int, char**, char**) = wait_passively;

}  // namespace
}  // namespace sgf

#endif
