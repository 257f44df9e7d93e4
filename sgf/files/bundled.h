// Bundled files: presets, recipes and models. Torch-free.
#pragma once

#include <filesystem>

namespace sgf {

// share/sgf beside the bin folder of the running program. The source tree if the program is not installed.
std::filesystem::path bundled_folder();

// The path itself if it exists. Otherwise the bundled file or folder of that name ("models/world-small/sgf"), or the
// path itself if there is none.
std::filesystem::path find_bundled(const std::filesystem::path& path);

}  // namespace sgf
