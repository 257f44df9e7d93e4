// Descriptions of the commands and options, read from CLI11.
#pragma once

#include "apps/help/command_words.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace sgf {

// One command without those below it; `name` is all its words.
CommandWords describe_command(const CLI::App& command, const std::string& name);

// All commands, the program itself first. The name of a command below another one is both words: "world render".
std::vector<CommandWords> describe_program(const CLI::App& program);

}  // namespace sgf
