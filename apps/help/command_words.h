// Commands, options, defaults and ranges as data: help, manual and completion are made from this one description.
#pragma once

#include <string>
#include <vector>

namespace sgf {

// An option or a positional argument.
struct ArgumentWords {
  std::vector<std::string> names;  // "--json", "-h"; one bare name for a positional
  std::string value;               // placeholder of its value: "N", "FILE"; empty for a flag
  std::string help;                // without default and range
  std::string limits;              // "0 or more; default 1"
  std::string group;               // heading in the help of its command
  bool is_required = false;
  bool repeats = false;  // a positional that takes any number
  bool is_list = false;  // values are separated by commas
  std::vector<std::string> choices;
  bool takes_files = false;  // any other value than the choices is a file

  bool takes_value() const { return !value.empty(); }
};

struct CommandWords {
  std::string name;  // "" for the program itself; "world render" for a command of a command
  std::string help;
  std::string group;
  std::string footer;  // paragraphs; lines that begin with a space stay as they are
  bool needs_command = false;
  std::vector<ArgumentWords> options;
  std::vector<ArgumentWords> positionals;
};

// The commands right below one, in their order: "world render" and "world measure" below "world".
std::vector<CommandWords> commands_below(const CommandWords& parent, const std::vector<CommandWords>& all);

std::string last_word(const std::string& name);  // "render" of "world render"

}  // namespace sgf
