// Loads configs for commands.
#pragma once

#include "sgf/config/config.h"

#include <string>
#include <vector>

namespace sgf {

// What `sgf train` needs beyond a valid config, one sentence each: runs, teachers and files that are missing.
std::vector<std::string> needs_of_training(const Config& config);

// Prints to stderr how the keys of a flat, Self-Forcing-style file were translated.
Config load_and_explain(const std::string& file_or_preset, const std::vector<std::string>& overrides);

// The same for training. Throws on a flat file that cannot be trained, such as one of inference alone.
Config load_for_training(const std::string& file_or_preset, const std::vector<std::string>& overrides);

// The same without the table, for commands that compute what training would, and train nothing.
Config load_trainable(const std::string& file_or_preset, const std::vector<std::string>& overrides);

}  // namespace sgf
