#include "apps/threads.h"

#include "apps/option_values.h"
#include "apps/say.h"
#include "sgf/config/network_work.h"
#include "sgf/core/counted.h"
#include "sgf/core/cpu_threads.h"
#include "sgf/runs/run_folder.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string_view>

namespace sgf {
namespace {

constexpr int kMostThreads = 1024;
constexpr int64_t kMostPerCore = 16;  // beyond it threads wait for each other for hours

// The ranks of this host, as torchrun and Open MPI tell; Slurm gives each its own cores.
int64_t local_ranks() {
  for (const char* name : {"LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"}) {
    const char* value = std::getenv(name);
    const std::string_view text = value == nullptr ? "" : value;
    int64_t ranks = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), ranks).ec == std::errc() && ranks > 0) return ranks;
  }
  return 1;
}

std::string threads_in_words(int64_t threads) {
  return fmt::format("{} CPU thread{}", threads, threads == 1 ? "" : "s");
}

}  // namespace

void add_threads(CLI::App& command, int64_t& threads, const std::string& words) {
  command.add_option("--threads", threads, fmt::format("CPU threads ({})", words))->check(CLI::Range(1, kMostThreads));
}

void add_compute(CLI::App& command, ComputeArgs& args) {
  add_device(command, args.device, kDeviceOfConfig);
  add_threads(command, args.threads, kThreadsOfConfig);
}

std::vector<std::string> with_compute(std::vector<std::string> overrides, const ComputeArgs& args) {
  if (!args.device.empty()) overrides.push_back("run.device=" + args.device);
  if (args.threads > 0) overrides.push_back(fmt::format("run.threads={}", args.threads));
  return overrides;
}

int64_t threads_for_work(int64_t asked, double work, int64_t cores) {
  if (asked > 0) return asked;
  if (environment_names_threads()) return at::get_num_threads();
  return choose_threads(work, cores);
}

int64_t threads_for_work(int64_t asked, double work) { return threads_for_work(asked, work, usable_cores()); }

int64_t threads_for_files(int64_t asked) { return threads_for_work(asked, std::numeric_limits<double>::infinity()); }

int64_t threads_asked(int64_t threads, const Config& config, const std::vector<std::string>& overrides) {
  return threads > 0 ? threads : sets_key(overrides, "run.threads") ? config.run.threads : 0;
}

int64_t threads_as_stored(int64_t asked, int64_t stored, const std::string& what) {
  if (stored == 0) return asked;
  if (asked == 0 && stored > kMostPerCore * usable_cores()) {  // a hostile note, or a very much larger machine
    warn("{}: made with {}, but this machine has {}; using as many, so results may differ by rounding", what,
         threads_in_words(stored), counted(usable_cores(), "core"));
    return usable_cores();
  }
  if (asked > 0 && asked != stored)
    warn("{}: made with {}; results with {} may differ by rounding", what, threads_in_words(stored), asked);
  else if (asked == 0 && environment_names_threads() && at::get_num_threads() != stored)
    warn(
        "{}: using {} as before, so that results stay identical; pass --threads {} to follow "
        "OMP_NUM_THREADS",
        what, threads_in_words(stored), at::get_num_threads());
  return asked > 0 ? asked : stored;
}

int64_t threads_of_run(const Config& config, const std::vector<std::string>& overrides, bool resume,
                       const std::filesystem::path& out, int64_t cores) {
  const std::optional<int64_t> stored = resume ? stored_threads(out) : std::nullopt;
  if (!stored) return threads_for_work(config.run.threads, work_of_clips(config, config.train.micro_batch), cores);
  const bool is_asked = sets_key(overrides, "run.threads") || *stored == 0;
  return threads_as_stored(is_asked ? config.run.threads : 0, *stored, out.string());
}

int64_t cores_of_rank() { return std::max<int64_t>(1, usable_cores() / local_ranks()); }

void use_threads(int64_t threads) {
  if (threads > 0) at::set_num_threads(static_cast<int>(threads));
}

}  // namespace sgf
