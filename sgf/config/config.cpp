// Loading, printing and listing of Config; config_validation.cpp checks it.
#include "sgf/config/config.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "sgf/config/config_files.h"
#include "sgf/config/flat_config.h"
#include "sgf/config/setting_error.h"
#include "sgf/core/error.h"

namespace sgf {
namespace {

// A flat file builds on the preset of its network, as a file with sections builds on its base.
ConfigNode load_flat_tree(const ConfigNode& flat, const std::vector<std::filesystem::path>& preset_folders,
                          LoadedConfig& loaded) {
  FlatTranslation translation = translate_flat(flat);
  ConfigNode tree = load_config_tree(find_config_file(translation.preset, preset_folders), preset_folders);
  merge_into(tree, std::move(translation.tree));
  std::ranges::move(translation.notes, std::back_inserter(loaded.flat_notes));
  loaded.not_for_training = std::move(translation.not_for_training);
  return tree;
}

const ConfigNode* find_setting(const ConfigNode& tree, std::string_view key) {
  const size_t dot = key.find('.');
  const ConfigNode* node = tree.find(key.substr(0, dot));
  return node == nullptr || dot == std::string_view::npos ? node : find_setting(*node, key.substr(dot + 1));
}

// Where keys were set, in their order: "my.yaml:12, --set model.dim=7". Defaults have no place.
std::string places_of(const std::vector<std::string>& keys, const ConfigNode& tree) {
  std::vector<std::string> places;
  for (const std::string& key : keys) {
    const ConfigNode* node = find_setting(tree, key);
    if (node == nullptr || node->kind == ConfigNode::Kind::kMapping) continue;
    if (std::ranges::find(places, node->origin.where()) == places.end()) places.push_back(node->origin.where());
  }
  return fmt::format("{}", fmt::join(places, ", "));
}

// As validate, but an error begins with the places where the keys were set.
void validate_read(const Config& config, const ConfigNode& tree) {
  try {
    validate(config);
  } catch (const SettingError& error) {
    const std::string places = places_of(error.keys(), tree);
    if (places.empty()) throw;
    throw SettingError(places + ": " + error.what(), error.keys());
  }
}

}  // namespace

LoadedConfig load_config_with_notes(const std::filesystem::path& file_or_preset,
                                    const std::vector<std::string>& overrides,
                                    const std::vector<std::filesystem::path>& preset_folders) {
  LoadedConfig loaded;
  const std::filesystem::path file = find_config_file(file_or_preset, preset_folders);
  ConfigNode tree = load_config_tree(file, preset_folders);
  if (is_flat_config(tree))
    tree = load_flat_tree(with_defaults_beside(std::move(tree), file, loaded.flat_notes), preset_folders, loaded);
  refuse_flat_keys(tree);
  for (const std::string& assignment : overrides) {
    refuse_flat_override(assignment);
    apply_override(tree, assignment);
  }
  loaded.config = read_tree<Config>(tree);
  validate_read(loaded.config, tree);
  return loaded;
}

bool sets_key(const std::vector<std::string>& overrides, std::string_view key) {
  ConfigNode tree;
  tree.kind = ConfigNode::Kind::kMapping;
  for (const std::string& assignment : overrides) apply_override(tree, assignment);
  return find_setting(tree, key) != nullptr;
}

Config load_config(const std::filesystem::path& file_or_preset, const std::vector<std::string>& overrides,
                   const std::vector<std::filesystem::path>& preset_folders) {
  return load_config_with_notes(file_or_preset, overrides, preset_folders).config;
}

Config parse_config(std::string_view yaml, const std::string& source) {
  return read_tree<Config>(parse_yaml(yaml, {.source = source, .line = 1, .column = 1}));
}

std::string to_yaml(const Config& config) { return write_yaml(config); }

std::vector<KeyHelp> known_keys() { return list_keys<Config>(); }

}  // namespace sgf
