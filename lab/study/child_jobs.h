// Runs several processes of a program in parallel, each with its own log. Torch-free.
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
  std::filesystem::path log;           // stdout and stderr
};

struct ChildEnd {
  const ChildJob& job;
  int code = 0;  // its exit code; 128 + the signal that ended it
  double seconds = 0;
  bool is_told = false;  // whether it was asked to stop before it ended
};

// At most `at_once` run at a time. A stop signal is passed on, and no further process starts. Returns true if all were
// started and ended.
bool run_children(const std::filesystem::path& program, const std::vector<ChildJob>& jobs, int64_t at_once,
                  const std::function<void(const ChildEnd&)>& ended);

// Called by such a process at its start: it will be asked to stop when its parent ends.
void end_with_parent();

}  // namespace sgf
