#include "apps/help/command_words.h"

namespace sgf {

std::vector<CommandWords> commands_below(const CommandWords& parent, const std::vector<CommandWords>& all) {
  const std::string prefix = parent.name.empty() ? "" : parent.name + " ";
  std::vector<CommandWords> below;
  for (const CommandWords& command : all) {
    const bool is_below = command.name.size() > prefix.size() && command.name.starts_with(prefix);
    if (is_below && command.name.find(' ', prefix.size()) == std::string::npos) below.push_back(command);
  }
  return below;
}

std::string last_word(const std::string& name) { return name.substr(name.rfind(' ') + 1); }

}  // namespace sgf
