// Loading, printing and listing of Config; config_validation.cpp checks it.
#include "sgf/core/config.h"

#include <utility>

#include "sgf/core/config_files.h"
#include "sgf/core/flat_config.h"

namespace sgf {
namespace {

// A flat file stands on the preset of its network, as a file in sections stands on its base.
ConfigNode load_flat_tree(const ConfigNode& flat, const std::vector<std::filesystem::path>& preset_folders,
                          std::vector<FlatNote>& notes) {
  FlatTranslation translation = translate_flat(flat);
  ConfigNode tree = load_config_tree(find_config_file(translation.preset, preset_folders), preset_folders);
  merge_into(tree, std::move(translation.tree));
  notes = std::move(translation.notes);
  return tree;
}

}  // namespace

LoadedConfig load_config_with_notes(const std::filesystem::path& file_or_preset,
                                    const std::vector<std::string>& overrides,
                                    const std::vector<std::filesystem::path>& preset_folders) {
  LoadedConfig loaded;
  ConfigNode tree = load_config_tree(find_config_file(file_or_preset, preset_folders), preset_folders);
  if (is_flat_config(tree)) tree = load_flat_tree(tree, preset_folders, loaded.flat_notes);
  refuse_flat_keys(tree);
  for (const std::string& assignment : overrides) {
    refuse_flat_override(assignment);
    apply_override(tree, assignment);
  }
  loaded.config = read_tree<Config>(tree);
  validate(loaded.config);
  return loaded;
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
