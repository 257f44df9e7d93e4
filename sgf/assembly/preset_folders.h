// The folders where configs named without a path are searched.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

// $SGF_PRESETS if set, then the folder installed with the program. A program that is not installed uses the folder of
// the source tree instead.
std::vector<std::filesystem::path> preset_folders();

// Names of the presets in those folders, without .yaml, sorted.
std::vector<std::string> preset_names();

// The file or folder of that name beside a preset folder, such as the bundled models; empty if there is none.
std::optional<std::filesystem::path> find_beside_presets(const std::filesystem::path& name);

}  // namespace sgf
