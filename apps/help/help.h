// The help of a command, as `--help` and `sgf help` print it.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace sgf {

// `name` is the command's as typed: "sgf world render". As wide as the terminal.
std::string help_of(const CLI::App& command, const std::string& name);

}  // namespace sgf
