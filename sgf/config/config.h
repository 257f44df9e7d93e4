// Reading, printing, checking and listing the settings of a run.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sgf/config/config_schema.h"
#include "sgf/config/flat_config.h"
#include "sgf/config/settings.h"

namespace sgf {

// A config, and what became of each key where the file was a flat, Self-Forcing-style one.
struct LoadedConfig {
  Config config;
  std::vector<FlatNote> flat_notes;
};
LoadedConfig load_config_with_notes(const std::filesystem::path& file_or_preset,
                                    const std::vector<std::string>& overrides,
                                    const std::vector<std::filesystem::path>& preset_folders);

// File or preset, its bases, then the overrides ("model.dim=96") in order; read, and validated.
Config load_config(const std::filesystem::path& file_or_preset, const std::vector<std::string>& overrides,
                   const std::vector<std::filesystem::path>& preset_folders);

// Refuses a name that would lead out of the folder that is named after it.
void check_name(std::string_view key, const std::string& name);

// A config without bases, as to_yaml writes it; `source` stands in messages. Not validated.
Config parse_config(std::string_view yaml, const std::string& source);

// The whole config; parse_config gives an equal one, whose to_yaml is the same bytes.
std::string to_yaml(const Config& config);

// The same settings as one JSON object, for programs.
std::string to_json(const Config& config);

// A JSON Schema (draft 2020-12) of config files, for editors: every key with its type, default and meaning.
std::string json_schema();

// Refuses values out of range and settings that contradict each other, naming both keys.
void validate(const Config& config);

std::vector<KeyHelp> known_keys();

}  // namespace sgf
