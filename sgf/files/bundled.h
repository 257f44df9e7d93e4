// Files that are installed with the program: presets, recipes and models. Torch-free.
#pragma once

#include <filesystem>
#include <optional>

namespace sgf {

// share/sgf beside the bin folder that the running program lies in; nothing for a program that is not installed.
std::optional<std::filesystem::path> installed_data_folder();

// The path itself where it exists. Otherwise the installed file or folder of that name ("models/world-small/sgf"), and
// the path itself where there is none.
std::filesystem::path find_bundled(const std::filesystem::path& path);

}  // namespace sgf
