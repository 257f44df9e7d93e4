// The folder of a training run: everything needed to read it, resume it and make it again is inside.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sgf/runs/checkpoint_store.h"
#include "sgf/runs/folder_lock.h"

namespace sgf {

// A setting that two configs give differently; what a config does not set is empty.
struct ConfigDifference {
  std::string key;  // dotted
  std::string before;
  std::string now;
};

// In the order of `before`, then what only `now` has.
std::vector<ConfigDifference> compare_configs(std::string_view before, std::string_view now);

// Refuses the config of another run than lies there, and names what differs; `free_keys` (or sections) may. Whether
// anything differs at all.
bool check_config_of_run(const std::filesystem::path& run, std::string_view config_yaml,
                         const std::vector<std::string>& free_keys);

// run.threads of the run there; 0 where its config names none, nothing where there is no run.
std::optional<int64_t> stored_threads(const std::filesystem::path& run);

// Held by one process at a time.
class RunFolder {
 public:
  // A new run, in a folder that is new or empty. `config_yaml` is the config as resolved.
  static RunFolder create(const std::filesystem::path& path, std::string_view config_yaml);

  // An earlier run, to be resumed, where check_config_of_run lets it; what differs is then rewritten. Removes what a
  // crash left.
  static RunFolder open(const std::filesystem::path& path, std::string_view config_yaml,
                        const std::vector<std::string>& free_keys = {});

  // Appends to facts.json: one entry (build, device, command line, host) for each start of the run.
  void add_facts(const nlohmann::json& facts) const;

  // Seconds that the newest start has taken so far, kept in its entry; and those of all starts that noted them.
  void note_wall_time(double seconds) const;
  double wall_time() const;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path config_file() const { return path_ / "config.yaml"; }
  std::filesystem::path facts_file() const { return path_ / "facts.json"; }
  std::filesystem::path metrics_file() const { return path_ / "metrics.jsonl"; }
  std::filesystem::path report_file() const { return path_ / "report.html"; }
  std::filesystem::path events_folder() const { return path_ / "events"; }
  std::filesystem::path samples_folder() const { return path_ / "samples"; }
  CheckpointStore checkpoints() const { return CheckpointStore(path_ / "checkpoints"); }

 private:
  nlohmann::json read_starts() const;
  void write_starts(const nlohmann::json& starts) const;

  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)), lock_(path_) {}
  void make_folders() const;
  void write_config(std::string_view yaml) const;

  std::filesystem::path path_;
  FolderLock lock_;
};

// Whether a path holds a run: `config.yaml` is the last thing create() writes.
bool is_run_folder(const std::filesystem::path& path);

}  // namespace sgf
