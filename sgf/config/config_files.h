// Config files that build on each other: `base: name` or `base: [a, b]` at the top of a file names what it starts from.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sgf/config/config_tree.h"

namespace sgf {

// A name without slash and .yaml is a preset's, anything else a path.
std::filesystem::path find_config_file(const std::filesystem::path& file_or_preset,
                                       const std::vector<std::filesystem::path>& preset_folders);

// The file with its bases merged in, depth first and in order: later bases win over earlier ones, the file over all.
// A base is looked for beside the file that names it, then in the preset folders; `.yaml` may be left out.
ConfigNode load_config_tree(const std::filesystem::path& file,
                            const std::vector<std::filesystem::path>& preset_folders);

}  // namespace sgf
