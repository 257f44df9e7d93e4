// Completion for fish: a line per option, each with the command it belongs to.
#include "apps/help/completion_scripts.h"
#include "sgf/report/html_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sgf {

namespace assets {
extern const std::string_view completion_fish;
}

namespace {

// In single quotes, where fish knows \' and \\ alone.
std::string fish_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  return quoted + "'";
}

std::string fish_at(const CommandWords& command) {
  return fmt::format("complete -c sgf -n {}", fish_quoted("__sgf_at " + fish_quoted(command.name)));
}

// What is offered for the value: "-x -a ..." for words alone, "-r -F" for files.
std::string fish_value(const ArgumentWords& argument) {
  std::string words = fmt::format("{}", fmt::join(argument.choices, " "));
  if (argument.is_list && !words.empty()) return fmt::format("-x -a {}", fish_quoted("(__sgf_list " + words + ")"));
  switch (offered_for(argument)) {
    case Offered::kConfigKeys:
      return "-x -a '(__sgf_config_keys)'";
    case Offered::kRuns:
      return fmt::format("-r -F -a {}", fish_quoted(words + " (__sgf_runs)"));
    case Offered::kFolders:
      return fmt::format("-x -a {}", fish_quoted(words + " (__fish_complete_directories)"));
    case Offered::kFiles:
      return words.empty() ? "-r -F" : fmt::format("-r -F -a {}", fish_quoted(words));
    case Offered::kNothing:
      break;
  }
  return words.empty() ? "-x" : fmt::format("-x -a {}", fish_quoted(words));
}

std::string fish_option(const CommandWords& command, const ArgumentWords& option) {
  std::string line = fish_at(command);
  for (const std::string& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (option.takes_value()) line += " " + fish_value(option);
  return fmt::format("{} -d {}\n", line, fish_quoted(option.help));
}

std::string fish_lines(const CommandWords& command, const std::vector<CommandWords>& commands) {
  std::string lines;
  for (const CommandWords& below : commands_below(command, commands))
    lines += fmt::format("{} -a {} -d {}\n", fish_at(command), last_word(below.name), fish_quoted(below.help));
  for (const ArgumentWords& option : command.options) lines += fish_option(command, option);
  for (const ArgumentWords& argument : command.positionals)
    lines += fmt::format("{} {}\n", fish_at(command), fish_value(argument));
  return lines;
}

}  // namespace

std::string fish_completion(const std::vector<CommandWords>& commands, const std::vector<std::string>& config_keys) {
  std::string lines;
  std::vector<std::string> below;
  for (const CommandWords& command : commands) {
    if (command.name.find(' ') != std::string::npos) below.push_back(fish_quoted(command.name));
    lines += fish_lines(command, commands);
  }
  return fill_page(assets::completion_fish, {{"below", fmt::format("{}", fmt::join(below, " "))},
                                             {"config_keys", fmt::format("{}", fmt::join(config_keys, " "))},
                                             {"commands", lines}});
}

}  // namespace sgf
