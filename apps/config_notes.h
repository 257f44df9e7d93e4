// Loading a config as a command does it: what a flat file's keys became goes to stderr.
#pragma once

#include "sgf/core/config.h"

#include <string>
#include <vector>

namespace sgf {

Config load_and_explain(const std::string& file_or_preset, const std::vector<std::string>& overrides);

}  // namespace sgf
