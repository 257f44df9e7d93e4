// Shell completion scripts, made from a description of the program.
#pragma once

#include "apps/help/command_words.h"

#include <string>
#include <vector>

namespace sgf {

// The first of `commands` is the program itself; `config_keys` ("model.dim") are offered after --set.
std::string bash_completion(const std::vector<CommandWords>& commands, const std::vector<std::string>& config_keys);
std::string zsh_completion(const std::vector<CommandWords>& commands, const std::vector<std::string>& config_keys);
std::string fish_completion(const std::vector<CommandWords>& commands, const std::vector<std::string>& config_keys);

// What may stand for a value, beside its choices.
enum class Offered { kNothing, kFiles, kFolders, kRuns, kConfigKeys };
Offered offered_for(const ArgumentWords& argument);

// In single quotes, whatever the text holds.
std::string shell_quoted(const std::string& text);

}  // namespace sgf
