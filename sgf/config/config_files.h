// Config files that build on each other: `base: name` or `base: [a, b]` at the top of a file names what it starts from.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sgf/config/config_tree.h"

namespace sgf {

// A name without a slash and without .yaml is a preset; anything else is a path.
std::filesystem::path find_config_file(const std::filesystem::path& file_or_preset,
                                       const std::vector<std::filesystem::path>& preset_folders);

// The file merged with its bases, depth first and in order: later bases override earlier ones, the file overrides all.
// A base is looked for beside the file that names it, then in the preset folders; `.yaml` may be left out.
ConfigNode load_config_tree(const std::filesystem::path& file,
                            const std::vector<std::filesystem::path>& preset_folders);

}  // namespace sgf
