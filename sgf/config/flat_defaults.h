// The defaults that Self-Forcing's scripts merge every config over: configs/default_config.yaml, beside the config.
#pragma once

#include <filesystem>
#include <vector>

#include "sgf/config/config_tree.h"
#include "sgf/config/flat_translation.h"

namespace sgf {

// The flat file over the default_config.yaml beside it, with a note; the file alone if there is none.
ConfigNode with_defaults_beside(ConfigNode flat, const std::filesystem::path& file, std::vector<FlatNote>& notes);

}  // namespace sgf
