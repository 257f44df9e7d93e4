// Bundled files, installed with the program: presets, recipes and models. Torch-free.
#pragma once

#include <filesystem>
#include <optional>

namespace sgf {

// share/sgf beside the bin folder of the running program; nullopt if the program is not installed.
std::optional<std::filesystem::path> installed_data_folder();

// The path itself if it exists. Otherwise the bundled file or folder of that name ("models/world-small/sgf"), or the
// path itself if there is none.
std::filesystem::path find_bundled(const std::filesystem::path& path);

}  // namespace sgf
