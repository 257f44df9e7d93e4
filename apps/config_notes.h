// Loading a config as a command does it: what a flat file's keys became goes to stderr.
#pragma once

#include "sgf/config/config.h"

#include <string>
#include <vector>

namespace sgf {

// What `sgf train` lacks for it, in words: a valid config need not be one that can be trained here.
std::vector<std::string> needs_of_training(const Config& config);

Config load_and_explain(const std::string& file_or_preset, const std::vector<std::string>& overrides);

// The same for training. Throws on a flat file of inference alone.
Config load_for_training(const std::string& file_or_preset, const std::vector<std::string>& overrides);

}  // namespace sgf
