// What the program says of itself: the description of its commands, read from CLI11.
#pragma once

#include "apps/help/command_words.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace sgf {

// The command alone, under this name.
CommandWords describe_command(const CLI::App& command, const std::string& name);

// The program itself first; a command of a command follows it under both its words.
std::vector<CommandWords> describe_program(const CLI::App& program);

}  // namespace sgf
