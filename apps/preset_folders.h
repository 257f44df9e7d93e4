// Where configs named without a path are looked for.
#pragma once

#include <filesystem>
#include <vector>

namespace sgf {

// $SGF_PRESETS, then the folder installed with the program, then the source tree's: those that are there.
std::vector<std::filesystem::path> preset_folders();

}  // namespace sgf
