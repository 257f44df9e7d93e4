// Where configs named without a path are looked for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

// $SGF_PRESETS where it is set, then the folder installed with the program. A program that is not installed reads the
// source tree's in its place.
std::vector<std::filesystem::path> preset_folders();

// What those folders hold, without the .yaml, sorted.
std::vector<std::string> preset_names();

// The file or folder of that name beside such a folder, as the models that come along lie; nothing where none has it.
std::optional<std::filesystem::path> find_beside_presets(const std::filesystem::path& name);

}  // namespace sgf
