// `sgf completion bash|zsh|fish`: a completion script that knows the commands and options of this very program.
#include "apps/commands.h"
#include "apps/help/completion_scripts.h"
#include "apps/help/program_words.h"
#include "apps/say.h"
#include "sgf/config/config.h"

#include <CLI/CLI.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sgf {
namespace {

using CompletionOf = std::string (*)(const std::vector<CommandWords>&, const std::vector<std::string>&);

const std::map<std::string, CompletionOf>& completions() {
  static const std::map<std::string, CompletionOf> all{
      {"bash", bash_completion}, {"fish", fish_completion}, {"zsh", zsh_completion}};
  return all;
}

std::vector<std::string> config_keys() {
  std::vector<std::string> keys;
  for (const KeyHelp& key : known_keys()) keys.push_back(key.key);
  return keys;
}

// With the commands after `sgf help`, which its own help need not list.
std::vector<CommandWords> completed_commands(const CLI::App& app) {
  std::vector<CommandWords> commands = describe_program(app);
  std::vector<std::string> names;
  for (const CommandWords& command : commands_below(commands.front(), commands)) names.push_back(command.name);
  for (CommandWords& command : commands) {
    if (command.name != "help") continue;
    command.positionals.front().choices = names;
    command.positionals.front().takes_files = false;
  }
  return commands;
}

}  // namespace

void add_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Print a completion script for bash, zsh or fish");
  command->add_option("shell", *shell, "shell to complete in")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer(
      "Examples:\n"
      "  source <(sgf completion bash)             # in ~/.bashrc\n"
      "  source <(sgf completion zsh)              # in ~/.zshrc, after compinit\n"
      "  sgf completion fish | source              # in ~/.config/fish/config.fish\n\n"
      "Completes commands, options, presets, run folders, config keys after --set and names of metrics. An installed "
      "program comes with these scripts.");
  command->callback(
      [shell, &app] { print_lines(stdout, completions().at(*shell)(completed_commands(app), config_keys())); });
}

}  // namespace sgf
