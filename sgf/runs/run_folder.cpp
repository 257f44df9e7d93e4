#include "sgf/runs/run_folder.h"

#include "sgf/config/config_tree.h"
#include "sgf/core/error.h"
#include "sgf/files/atomic_file.h"
#include "sgf/files/json_file.h"
#include "sgf/files/mapped_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace sgf {
namespace {

namespace fs = std::filesystem;

using Settings = std::vector<std::pair<std::string, std::string>>;  // dotted key, value as written

std::string read_text(const fs::path& path) { return std::string(MappedFile::open(path)->text()); }

std::string spell(const ConfigNode& node) {
  if (node.kind != ConfigNode::Kind::kSequence) return node.kind == ConfigNode::Kind::kNull ? "null" : node.text;
  std::string items;
  for (const ConfigNode& item : node.items) items += (items.empty() ? "" : ", ") + spell(item);
  return "[" + items + "]";
}

void flatten(const ConfigNode& node, const std::string& key, Settings& out) {
  if (node.kind != ConfigNode::Kind::kMapping) {
    out.emplace_back(key, spell(node));
    return;
  }
  for (const ConfigEntry& entry : node.entries) flatten(entry.value, join_key(key, entry.key), out);
}

Settings settings_of(std::string_view yaml, const std::string& source) {
  Settings settings;
  flatten(parse_yaml(yaml, {.source = source, .line = 1, .column = 1}), "", settings);
  return settings;
}

const std::string* find_setting(const Settings& settings, const std::string& key) {
  const auto found = std::find_if(settings.begin(), settings.end(), [&](const auto& s) { return s.first == key; });
  return found == settings.end() ? nullptr : &found->second;
}

// A free key is the key itself or a whole section.
bool is_free(const std::string& key, const std::vector<std::string>& free_keys) {
  return std::any_of(free_keys.begin(), free_keys.end(),
                     [&](const std::string& free) { return key == free || key.starts_with(free + "."); });
}

std::string describe_differences(const std::vector<ConfigDifference>& differences) {
  constexpr size_t kShown = 8;
  std::string text;
  for (size_t i = 0; i < std::min(differences.size(), kShown); ++i) {
    const auto& [key, before, now] = differences[i];
    text += fmt::format("{}{} (run: {}, this config: {})", i == 0 ? "" : ", ", key, before.empty() ? "nothing" : before,
                        now.empty() ? "nothing" : now);
  }
  return differences.size() > kShown ? fmt::format("{} and {} more", text, differences.size() - kShown) : text;
}

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  SGF_CHECK(!error, "cannot create the folder {}: {}; choose another folder with --out", path.string(),
            error.message());
}

// Left by writes that a kill interrupted, here and in the folders of samples.
void remove_temporary_files(const fs::path& path) {
  sweep_half_written(path);
  std::error_code ignored;  // what cannot be listed now is removed at another start
  for (fs::recursive_directory_iterator at(path, ignored), end; at != end; at.increment(ignored))
    if (at->is_directory(ignored)) sweep_half_written(at->path());
}

// A killed create() leaves empty folders and a lock. Any other file belongs to somebody else.
bool is_free_for_a_run(const fs::path& path) {
  for (const auto& entry : fs::directory_iterator(path)) {
    const std::string name = entry.path().filename().string();
    const bool is_ours = name.starts_with('.') || (entry.is_directory() && fs::is_empty(entry.path()));
    if (!is_ours) return false;
  }
  return true;
}

}  // namespace

std::vector<ConfigDifference> compare_configs(std::string_view before, std::string_view now) {
  const Settings old_settings = settings_of(before, "config.yaml of the run"),
                 new_settings = settings_of(now, "config");
  std::vector<ConfigDifference> differences;
  for (const auto& [key, value] : old_settings) {
    const std::string* found = find_setting(new_settings, key);
    if (found == nullptr || *found != value) differences.push_back({key, value, found == nullptr ? "" : *found});
  }
  for (const auto& [key, value] : new_settings) {
    if (find_setting(old_settings, key) == nullptr) differences.push_back({key, "", value});
  }
  return differences;
}

bool is_run_folder(const fs::path& path) { return fs::exists(path / "config.yaml"); }

bool check_config_of_run(const fs::path& run, std::string_view config_yaml, const std::vector<std::string>& free_keys) {
  std::vector<ConfigDifference> differences = compare_configs(read_text(run / "config.yaml"), config_yaml);
  const bool is_changed = !differences.empty();
  std::erase_if(differences, [&](const ConfigDifference& d) { return is_free(d.key, free_keys); });
  SGF_CHECK(differences.empty(),
            "{0}: the run was made with another config: {1}; use the run's values (--set KEY=VALUE) or {0}/config.yaml",
            run.string(), describe_differences(differences));
  return is_changed;
}

std::optional<int64_t> stored_threads(const fs::path& run) {
  if (!is_run_folder(run)) return {};
  const Settings settings = settings_of(read_text(run / "config.yaml"), (run / "config.yaml").string());
  const std::string* text = find_setting(settings, "run.threads");
  int64_t threads = 0;
  if (text != nullptr) std::from_chars(text->data(), text->data() + text->size(), threads);
  return std::max<int64_t>(threads, 0);
}

nlohmann::json read_facts(const fs::path& facts_file) try {
  if (!fs::exists(facts_file)) return nlohmann::json::array();
  nlohmann::json starts = read_json_file(facts_file);
  SGF_CHECK(starts.is_array(), "{}: must be a JSON list with one entry per start", facts_file.string());
  return starts;
} catch (const Error& error) {
  fail(
      "{}; this file records which teacher and data the run started with: restore it from a copy, or rename it to "
      "resume without comparing them",
      error.what());
}

RunFolder RunFolder::create(const fs::path& path, std::string_view config_yaml) {
  SGF_CHECK(!is_run_folder(path), "{}: already holds a run; resume it, or choose another folder", path.string());
  make_folder(path);
  RunFolder run(path);
  SGF_CHECK(is_free_for_a_run(path), "{}: holds files that do not belong to a run; choose an empty folder",
            path.string());
  remove_temporary_files(path);
  run.make_folders();
  run.write_config(config_yaml);
  return run;
}

RunFolder RunFolder::open(const fs::path& path, std::string_view config_yaml,
                          const std::vector<std::string>& free_keys) {
  SGF_CHECK(is_run_folder(path), "{}: no run to resume: the folder has no config.yaml", path.string());
  RunFolder run(path);
  if (check_config_of_run(path, config_yaml, free_keys)) run.write_config(config_yaml);
  run.make_folders();
  run.checkpoints().remove_leftovers();
  remove_temporary_files(path);
  return run;
}

void RunFolder::add_facts(const nlohmann::json& facts) const {
  nlohmann::json starts = read_facts(facts_file());
  starts.push_back(facts);
  write_starts(starts);
}

void RunFolder::note_wall_time(double seconds) const {
  nlohmann::json starts = read_facts(facts_file());
  if (starts.empty()) return;
  starts.back()["wall_seconds"] = std::round(seconds * 10) / 10;
  write_starts(starts);
}

double RunFolder::wall_time() const {
  double seconds = 0;
  for (const nlohmann::json& start : read_facts(facts_file()))
    if (start.is_object() && start.contains("wall_seconds") && start["wall_seconds"].is_number())
      seconds += start["wall_seconds"].get<double>();
  return seconds;
}

void RunFolder::write_starts(const nlohmann::json& starts) const {
  AtomicFile file(facts_file());
  // The command line may hold names that are not UTF-8.
  file.write(starts.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n');
  file.commit();
}

void RunFolder::make_folders() const {
  for (const char* name : {"events", "checkpoints", "samples"}) fs::create_directories(path_ / name);
}

void RunFolder::write_config(std::string_view yaml) const {
  AtomicFile file(config_file());
  file.write(yaml);
  file.commit();
}

}  // namespace sgf
