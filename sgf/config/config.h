// Loads, prints, checks and lists the settings of a run.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sgf/config/config_schema.h"
#include "sgf/config/flat_config.h"
#include "sgf/config/settings.h"

namespace sgf {

// A config, with a note per key if the file was a flat, Self-Forcing-style one.
struct LoadedConfig {
  Config config;
  std::vector<FlatNote> flat_notes;
  std::string not_for_training;  // why a flat file cannot be trained, and what can; empty if it can
};
LoadedConfig load_config_with_notes(const std::filesystem::path& file_or_preset,
                                    const std::vector<std::string>& overrides,
                                    const std::vector<std::filesystem::path>& preset_folders);

// Loads a file or preset with its bases, applies the overrides ("model.dim=96") in order, and validates.
Config load_config(const std::filesystem::path& file_or_preset, const std::vector<std::string>& overrides,
                   const std::vector<std::filesystem::path>& preset_folders);

// True if one of the overrides sets the key, also as a part of its section: "run={seed: 3}" sets run.seed.
bool sets_key(const std::vector<std::string>& overrides, std::string_view key);

// Throws if the name, which also names a folder, would lead out of the parent folder.
void check_name(std::string_view key, const std::string& name);

// Parses a config without bases, as to_yaml writes it; `source` names it in messages. Does not validate.
Config parse_config(std::string_view yaml, const std::string& source);

// The whole config; parse_config gives an equal one, whose to_yaml is the same bytes.
std::string to_yaml(const Config& config);

// The same settings as one JSON object, for programs.
std::string to_json(const Config& config);

// A JSON Schema (draft 2020-12) of config files, for editors: every key with its type, default and meaning.
std::string json_schema();

// Throws on values out of range and on settings that contradict each other; the message names all keys involved.
void validate(const Config& config);

std::vector<KeyHelp> known_keys();

}  // namespace sgf
