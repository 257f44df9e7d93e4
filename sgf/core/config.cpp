// Loading, printing and listing of Config; config_validation.cpp checks it.
#include "sgf/core/config.h"

#include "sgf/core/config_files.h"

namespace sgf {

Config load_config(const std::filesystem::path& file_or_preset, const std::vector<std::string>& overrides,
                   const std::vector<std::filesystem::path>& preset_folders) {
  ConfigNode tree = load_config_tree(find_config_file(file_or_preset, preset_folders), preset_folders);
  for (const std::string& assignment : overrides) apply_override(tree, assignment);
  const Config config = read_tree<Config>(tree);
  validate(config);
  return config;
}

Config parse_config(std::string_view yaml, const std::string& source) {
  return read_tree<Config>(parse_yaml(yaml, {.source = source, .line = 1, .column = 1}));
}

std::string to_yaml(const Config& config) { return write_yaml(config); }

std::vector<KeyHelp> known_keys() { return list_keys<Config>(); }

}  // namespace sgf
