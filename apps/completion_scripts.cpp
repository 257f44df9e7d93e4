#include "apps/completion_scripts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sgf {
namespace {

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

// In single quotes, whatever the text holds.
std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// zsh's specs give brackets and colons a meaning of their own.
std::string zsh_escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// The commands right below one: "render" and "measure" below "world".
std::vector<std::string> names_below(const CommandWords& parent, const std::vector<CommandWords>& commands) {
  const std::string prefix = parent.name.empty() ? "" : parent.name + " ";
  std::vector<std::string> names;
  for (const CommandWords& command : commands) {
    if (command.name.size() <= prefix.size() || !command.name.starts_with(prefix)) continue;
    const std::string rest = command.name.substr(prefix.size());
    if (rest.find(' ') == std::string::npos) names.push_back(rest);
  }
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

// "convert --names) choices='wan diffusers keep' ;;", and none for a value that is a file.
std::string bash_values(const CommandWords& command) {
  std::string cases;
  for (const ArgumentWords& option : command.options) {
    if (!option.takes_value) continue;
    for (const std::string& name : option.names) {
      cases += fmt::format("    {}) choices={} ;;\n", shell_quoted(command.name + " " + name),
                           shell_quoted(joined(option.choices)));
    }
  }
  return cases;
}

std::string bash_words(const CommandWords& command, const std::vector<CommandWords>& commands) {
  std::vector<std::string> positional = names_below(command, commands);
  for (const ArgumentWords& argument : command.positionals) {
    positional.insert(positional.end(), argument.choices.begin(), argument.choices.end());
  }
  return fmt::format("    {}) options={} positionals={} ;;\n", shell_quoted(command.name),
                     shell_quoted(joined(option_names(command))), shell_quoted(joined(positional)));
}

std::string zsh_value(const ArgumentWords& argument) {
  if (argument.choices.empty()) return "_files";
  const std::string choices = fmt::format("({})", joined(argument.choices));
  if (!argument.takes_files) return choices;
  return fmt::format(R"({{_alternative "names:name:{}" "files:file:_files"}})", choices);
}

std::string zsh_option(const std::string& name, const ArgumentWords& option) {
  const std::string value = option.takes_value ? fmt::format(":value:{}", zsh_value(option)) : "";
  return shell_quoted(fmt::format("{}[{}]{}", name, zsh_escaped(option.help), value));
}

std::string zsh_arguments(const CommandWords& command, const std::vector<CommandWords>& commands) {
  const std::vector<std::string> below = names_below(command, commands);
  std::string specs;
  for (const ArgumentWords& option : command.options) {
    for (const std::string& name : option.names) specs += " \\\n        " + zsh_option(name, option);
  }
  for (const ArgumentWords& argument : command.positionals) {
    const std::string spec =
        fmt::format("{}:{}:{}", argument.repeats ? "*" : "", zsh_escaped(argument.names.front()), zsh_value(argument));
    specs += " \\\n        " + shell_quoted(spec);
  }
  if (!command.name.empty() && !below.empty()) {
    specs += " \\\n        " + shell_quoted(fmt::format("1:command:({})", joined(below)));
  }
  return fmt::format("      _arguments{}\n", specs);
}

}  // namespace

std::string bash_completion(const std::vector<CommandWords>& commands) {
  std::string values, words, below;
  for (const CommandWords& command : commands) {
    if (is_below_another(command)) below += fmt::format("    {0}) command={0} ;;\n", shell_quoted(command.name));
    values += bash_values(command);
    words += bash_words(command, commands);
  }
  return fmt::format(R"(# bash completion for sgf. Use it now: source <(sgf completion bash)
_sgf() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
  local command='' choices='' options='' positionals='' word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    if [[ $word == -* ]]; then continue; fi
    # A command of a command goes by both words; other words that follow are arguments.
    case "$command $word" in
{}    *) if [[ -z $command ]]; then command=$word; fi ;;
    esac
  done
  COMPREPLY=()
  case "$command $before" in
{}    *) choices='none' ;;
  esac
  case $command in
{}  esac
  if [[ $choices == none ]]; then
    choices=$positionals
    if [[ $current == -* ]]; then choices=$options; fi
  fi
  # Nothing to offer means file names, which readline completes itself.
  if [[ -n $choices ]]; then mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$current"); fi
}}
complete -o default -F _sgf sgf
)",
                     below, values, words);
}

std::string zsh_completion(const std::vector<CommandWords>& commands) {
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
  return fmt::format(R"(#compdef sgf
# zsh completion for sgf. Use it now: source <(sgf completion zsh)
_sgf() {{
  local -a commands
  commands=(
{}  )
  if ((CURRENT == 2)); then
    if [[ $words[2] == -* ]]; then
{}    else
      _describe -t commands 'sgf command' commands
    fi
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  if [[ "$command $words[2]" == ({}) ]] && ((CURRENT > 2)); then
    command="$command $words[2]"
    shift words
    ((CURRENT--))
  fi
  case $command in
{}  esac
}}
# Autoloaded from $fpath it is called; sourced it registers itself.
if [[ ${{funcstack[1]-}} == _sgf ]]; then _sgf "$@"; else compdef _sgf sgf; fi
)",
                     list, own, fmt::join(below, "|"), cases);
}

}  // namespace sgf
