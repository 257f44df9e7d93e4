// The number of CPU threads of a command. The library uses torch's own number unless a config's run.threads names one;
// the program chooses by the size of the work.
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

// Defaults of --threads and --device, in the words of --help. All cores are for commands with large networks, or
// whose results are compared with those of earlier versions.
constexpr const char* kAllCores = "default: OMP_NUM_THREADS, or all cores";
constexpr const char* kThreadsOfConfig =
    "default: run.threads of the config, OMP_NUM_THREADS, or by the size of the network";
constexpr const char* kThreadPerFile = "default: OMP_NUM_THREADS, or all cores; one file per thread";
constexpr const char* kDeviceOfConfig = "run.device of the config";

// --threads N, at least 1; `words` describe the default.
void add_threads(CLI::App& command, int64_t& threads,
                 const std::string& words = "default: OMP_NUM_THREADS, or by the size of the network");

// --device and --threads of a command that reads a config: short for --set run.device=... and run.threads=...
struct ComputeArgs {
  std::string device;  // auto, cpu or cuda; empty: that of the config
  int64_t threads = 0;
};
void add_compute(CLI::App& command, ComputeArgs& args);
std::vector<std::string> with_compute(std::vector<std::string> overrides, const ComputeArgs& args);

// For new work: `asked` if it is not 0, else the number of the environment, else by the work (network_work.h) and the
// cores. At least 1.
int64_t threads_for_work(int64_t asked, double work, int64_t cores);
int64_t threads_for_work(int64_t asked, double work);  // on all cores

// For files that are made or measured side by side, one per thread: `asked` if it is not 0, else the number of the
// environment, else all cores.
int64_t threads_for_files(int64_t asked);

// --threads, else --set run.threads=N, else 0: run.threads of a trained model's config belongs to its training.
int64_t threads_asked(int64_t threads, const Config& config, const std::vector<std::string>& overrides);

// To resume or regenerate what was made with `stored` threads: the same number, so that results stay identical, or
// `asked` with a warning. Files of earlier versions store none, 0: the result is `asked`, and 0 is torch's own number.
int64_t threads_as_stored(int64_t asked, int64_t stored, const std::string& what);

// run.threads for a run in `out`. A resumed run keeps its number unless `overrides` name one.
int64_t threads_of_run(const Config& config, const std::vector<std::string>& overrides, bool resume,
                       const std::filesystem::path& out, int64_t cores);
int64_t cores_of_rank();  // the host's cores divided by its ranks

// Sets torch's number of threads; 0 leaves it as it is.
void use_threads(int64_t threads);

}  // namespace sgf
