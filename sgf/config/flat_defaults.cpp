// The defaults that Self-Forcing's scripts merge every config over.
#include "sgf/config/flat_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <system_error>
#include <utility>

#include "sgf/config/config_files.h"
#include "sgf/config/flat_parts.h"

namespace fs = std::filesystem;

namespace sgf {
namespace {

constexpr const char* kDefaults = "default_config.yaml";

std::vector<std::string> keys_without(const ConfigNode& defaults, const ConfigNode& flat) {
  std::vector<std::string> keys;
  for (const ConfigEntry& entry : defaults.entries)
    if (flat.find(entry.key) == nullptr) keys.push_back(entry.key);
  return keys;
}

}  // namespace

ConfigNode with_defaults_beside(ConfigNode flat, const fs::path& file, std::vector<FlatNote>& notes) {
  const fs::path beside = file.parent_path() / kDefaults;
  std::error_code ignored;  // what cannot be queried counts as absent
  if (!fs::is_regular_file(beside, ignored) || fs::equivalent(beside, file, ignored)) return flat;
  if (is_inference_only(FlatReader(flat))) return flat;  // LongLive's inference.py reads its file alone
  ConfigNode defaults = load_config_tree(beside, {});
  if (!is_flat_config(defaults)) {
    notes.push_back({kDefaults, "", fmt::format("{} is not of the Self-Forcing family: ignored", beside.string())});
    return flat;
  }
  notes.push_back({kDefaults, "merged",
                   fmt::format("{}, as its train.py does, for keys that the file lacks: {}", beside.string(),
                               fmt::join(keys_without(defaults, flat), ", "))});
  defaults.origin = flat.origin;
  merge_into(defaults, std::move(flat));
  return defaults;
}

}  // namespace sgf
