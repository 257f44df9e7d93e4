#include "apps/help/completion_scripts.h"

#include "sgf/report/html_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sgf {

namespace assets {
extern const std::string_view completion_bash, completion_zsh;
}

namespace {

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

// zsh's specs give brackets and colons a meaning of their own.
std::string zsh_escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::vector<std::string> words_below(const CommandWords& parent, const std::vector<CommandWords>& commands) {
  std::vector<std::string> names;
  for (const CommandWords& command : commands_below(parent, commands)) names.push_back(last_word(command.name));
  return names;
}

bool is_below_another(const CommandWords& command) { return command.name.find(' ') != std::string::npos; }

std::vector<std::string> option_names(const CommandWords& command) {
  std::vector<std::string> names;
  for (const ArgumentWords& option : command.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

// How the script goes about the value: each way is a case at its end.
std::string bash_way(const ArgumentWords& argument) {
  if (argument.is_list && !argument.choices.empty()) return "list";
  switch (offered_for(argument)) {
    case Offered::kConfigKeys:
      return "keys";
    case Offered::kRuns:
      return "runs";
    case Offered::kFolders:
      return "folders";
    case Offered::kFiles:
      return "files";
    case Offered::kNothing:
      break;
  }
  return "words";
}

// "'convert --names') choices='wan diffusers keep' way=words ;;", without choices for a value that is a file.
std::string bash_values(const CommandWords& command) {
  std::string cases;
  for (const ArgumentWords& option : command.options) {
    if (!option.takes_value()) continue;
    for (const std::string& name : option.names)
      cases += fmt::format("    {}) choices={} way={} ;;\n", shell_quoted(command.name + " " + name),
                           shell_quoted(joined(option.choices)), bash_way(option));
  }
  return cases;
}

std::string bash_words(const CommandWords& command, const std::vector<CommandWords>& commands) {
  std::vector<std::string> positional = words_below(command, commands);
  for (const ArgumentWords& argument : command.positionals) {
    positional.insert(positional.end(), argument.choices.begin(), argument.choices.end());
  }
  return fmt::format("    {}) options={} positionals={} ;;\n", shell_quoted(command.name),
                     shell_quoted(joined(option_names(command))), shell_quoted(joined(positional)));
}

std::string zsh_files(const ArgumentWords& argument) {
  switch (offered_for(argument)) {
    case Offered::kConfigKeys:
      return "_sgf_config_keys";
    case Offered::kRuns:
      return "_sgf_runs";
    case Offered::kFolders:
      return "_files -/";
    case Offered::kFiles:
      return "_files";
    case Offered::kNothing:
      break;
  }
  return "";
}

std::string zsh_value(const ArgumentWords& argument) {
  const std::string files = zsh_files(argument);
  if (argument.choices.empty()) return files.empty() ? " " : files;
  if (argument.is_list) return fmt::format("{{_values -s , value {}}}", joined(argument.choices));
  const std::string choices = fmt::format("({})", joined(argument.choices));
  if (files.empty()) return choices;
  // By functions of the script: a colon would end the action of an option.
  const Offered offered = offered_for(argument);
  return fmt::format("{{_sgf_or_{} {}}}",
                     offered == Offered::kRuns      ? "runs"
                     : offered == Offered::kFolders ? "folders"
                                                    : "files",
                     joined(argument.choices));
}

std::string zsh_option(const std::string& name, const ArgumentWords& option) {
  const std::string value =
      option.takes_value() ? fmt::format(":{}:{}", zsh_escaped(option.value), zsh_value(option)) : "";
  return shell_quoted(fmt::format("{}{}[{}]{}", option.repeats ? "*" : "", name, zsh_escaped(option.help), value));
}

std::string zsh_arguments(const CommandWords& command, const std::vector<CommandWords>& commands) {
  const std::vector<std::string> below = words_below(command, commands);
  std::string specs;
  for (const ArgumentWords& option : command.options) {
    for (const std::string& name : option.names) specs += " \\\n        " + zsh_option(name, option);
  }
  std::vector<ArgumentWords> positionals = command.positionals;
  if (!positionals.empty())  // the first may be a command too, as in sgf eval
    positionals.front().choices.insert(positionals.front().choices.begin(), below.begin(), below.end());
  for (const ArgumentWords& argument : positionals) {
    const std::string spec =
        fmt::format("{}:{}:{}", argument.repeats ? "*" : "", zsh_escaped(argument.names.front()), zsh_value(argument));
    specs += " \\\n        " + shell_quoted(spec);
  }
  if (!command.name.empty() && !below.empty() && positionals.empty()) {
    specs += " \\\n        " + shell_quoted(fmt::format("1:command:({})", joined(below)));
  }
  return fmt::format("      _arguments{}\n", specs);
}

}  // namespace

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

Offered offered_for(const ArgumentWords& argument) {
  const std::string& value = argument.value;
  if (value == "KEY=VALUE") return Offered::kConfigKeys;
  if (value == "RUN" || value == "MODEL") return Offered::kRuns;
  if (value.ends_with("DIR")) return Offered::kFolders;
  const bool is_word = value == "N" || value == "X" || value == "TEXT" || !argument.takes_files;
  return is_word ? Offered::kNothing : Offered::kFiles;
}

std::string bash_completion(const std::vector<CommandWords>& commands, const std::vector<std::string>& config_keys) {
  std::string values, words, below;
  for (const CommandWords& command : commands) {
    if (is_below_another(command)) below += fmt::format("    {0}) command={0} ;;\n", shell_quoted(command.name));
    values += bash_values(command);
    words += bash_words(command, commands);
  }
  const std::string keys = shell_quoted(fmt::format("{}", fmt::join(config_keys, "= ")) + "=");
  return fill_page(assets::completion_bash,
                   {{"config_keys", keys}, {"below", below}, {"values", values}, {"words", words}});
}

std::string zsh_completion(const std::vector<CommandWords>& commands, const std::vector<std::string>& config_keys) {
  std::string list, cases, own;
  std::vector<std::string> below;
  for (const CommandWords& command : commands) {
    if (command.name.empty()) {
      own = zsh_arguments(command, commands);
      continue;
    }
    cases += fmt::format("    {})\n{}      ;;\n", shell_quoted(command.name), zsh_arguments(command, commands));
    if (is_below_another(command)) {
      below.push_back(shell_quoted(command.name));
      continue;
    }
    list += fmt::format("    {}\n", shell_quoted(fmt::format("{}:{}", command.name, zsh_escaped(command.help))));
  }
  return fill_page(assets::completion_zsh, {{"config_keys", joined(config_keys)},
                                            {"list", list},
                                            {"own", own},
                                            {"below", fmt::format("{}", fmt::join(below, "|"))},
                                            {"cases", cases}});
}

}  // namespace sgf
