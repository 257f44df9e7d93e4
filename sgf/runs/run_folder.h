// The folder of a training run: it holds everything needed to read, resume and repeat the run.
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

// A setting that differs between two configs; empty if a config does not set it.
struct ConfigDifference {
  std::string key;  // dotted
  std::string before;
  std::string now;
};

// In the order of `before`, then keys that only `now` has.
std::vector<ConfigDifference> compare_configs(std::string_view before, std::string_view now);

// Throws if the config differs from the run's in other keys than `free_keys` (keys or sections); the message lists the
// differences. Returns whether anything differs.
bool check_config_of_run(const std::filesystem::path& run, std::string_view config_yaml,
                         const std::vector<std::string>& free_keys);

// run.threads of the run in this folder; 0 if its config has none; nullopt if there is no run.
std::optional<int64_t> stored_threads(const std::filesystem::path& run);

// facts.json, one entry per start; empty if it is missing. An error says how to resume without it.
nlohmann::json read_facts(const std::filesystem::path& facts_file);

// Locked by one process at a time.
class RunFolder {
 public:
  // Creates a new run in a new or empty folder. `config_yaml` is the resolved config.
  static RunFolder create(const std::filesystem::path& path, std::string_view config_yaml);

  // Opens a run for resuming if check_config_of_run allows it; a changed config is rewritten. Removes leftovers of a
  // crash.
  static RunFolder open(const std::filesystem::path& path, std::string_view config_yaml,
                        const std::vector<std::string>& free_keys = {});

  // Appends one entry per start to facts.json: build, device, command line, host.
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
  void write_starts(const nlohmann::json& starts) const;

  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)), lock_(path_) {}
  void make_folders() const;
  void write_config(std::string_view yaml) const;

  std::filesystem::path path_;
  FolderLock lock_;
};

// Whether a path holds a run: create() writes `config.yaml` last.
bool is_run_folder(const std::filesystem::path& path);

}  // namespace sgf
