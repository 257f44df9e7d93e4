// Several processes of a program side by side, each with a log of its own. Torch-free.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace sgf {

struct ChildJob {
  std::string name;
  std::vector<std::string> arguments;  // after the program's name
  std::filesystem::path log;           // what it says, on both streams
};

struct ChildEnd {
  const ChildJob& job;
  int code = 0;  // its exit code; 128 + the signal that ended it
  double seconds = 0;
  bool is_told = false;  // to stop, before it ended
};

// At most `at_once` run at a time. A signal that asks this process to stop is passed on, and no further one begins.
// True where all were begun and ended.
bool run_children(const std::filesystem::path& program, const std::vector<ChildJob>& jobs, int64_t at_once,
                  const std::function<void(const ChildEnd&)>& ended);

// For such a process itself, when it begins: it will be asked to stop when the one that began it is gone.
void end_with_parent();

}  // namespace sgf
