// Shell completion scripts, made from a description of the program.
#pragma once

#include <string>
#include <vector>

namespace sgf {

// An option or a positional argument.
struct ArgumentWords {
  std::vector<std::string> names;  // "--json", "-h"; one bare name for a positional
  std::string help;
  bool takes_value = false;
  bool repeats = false;  // a positional that takes any number
  std::vector<std::string> choices;
  bool takes_files = false;  // a value that is none of the choices is a file
};

struct CommandWords {
  std::string name;  // "" for the program itself; "world render" for a command of a command
  std::string help;
  std::vector<ArgumentWords> options;
  std::vector<ArgumentWords> positionals;
};

// The first of `commands` is the program itself.
std::string bash_completion(const std::vector<CommandWords>& commands);
std::string zsh_completion(const std::vector<CommandWords>& commands);

}  // namespace sgf
