// Which number of CPU threads a command takes. The library computes with torch's own unless a config's run.threads
// names one; the program chooses.
#pragma once

#include "sgf/config/config.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace sgf {

// For commands whose networks are large, or whose results are compared with those of earlier versions.
constexpr const char* kAllCores = "default: OMP_NUM_THREADS, or all cores";

// --threads N; `words` say what stands in for it.
void add_threads(CLI::App& command, int64_t& threads,
                 const std::string& words = "default: OMP_NUM_THREADS, or by the size of the network");

// --device and --threads of a command that reads a config: short for --set run.device=... and run.threads=...
struct ComputeArgs {
  std::string device;  // auto, cpu or cuda; empty: the config's
  int64_t threads = 0;
};
void add_compute(CLI::App& command, ComputeArgs& args);
std::vector<std::string> with_compute(std::vector<std::string> overrides, const ComputeArgs& args);

// For new work: the number asked for, else that of the environment, else by the work (network_work.h) and the cores.
// 0 is never the answer.
int64_t threads_for_work(int64_t asked, double work, int64_t cores);
int64_t threads_for_work(int64_t asked, double work);  // on all cores

// What --threads says, or where it was not given --set run.threads=N; a run's own number is of its training.
int64_t threads_asked(int64_t threads, const Config& config, const std::vector<std::string>& overrides);

// To resume or regenerate what was made with `stored` threads: the same number, so that results stay the same. Another
// one that was asked for is taken, with a warning. Files of earlier versions store none, 0: torch's own number then.
int64_t threads_as_stored(int64_t asked, int64_t stored, const std::string& what);

// run.threads for a run in `out`. An earlier run's number is kept where it is resumed, unless `overrides` name one.
int64_t threads_of_run(const Config& config, const std::vector<std::string>& overrides, bool resume,
                       const std::filesystem::path& out, int64_t cores);
int64_t cores_of_rank();  // the host's, shared among its ranks

// From here on torch takes so many; 0 leaves its own number.
void use_threads(int64_t threads);

}  // namespace sgf
