// `sgf completion bash|zsh`: a completion script that knows the commands and options this very program has.
#include "apps/commands.h"
#include "apps/completion_scripts.h"
#include "apps/say.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <utility>

namespace sgf {
namespace {

// CLI11 shows the choices of an option in the name of its type: "TEXT:{wan,diffusers,keep}".
std::vector<std::string> choices_in(const std::string& type_name) {
  const size_t open = type_name.find('{'), close = type_name.find('}');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  return CLI::detail::split(type_name.substr(open + 1, close - open - 1), ',');
}

ArgumentWords describe(const CLI::Option& option) {
  ArgumentWords words;
  for (const std::string& name : option.get_snames()) words.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) words.names.push_back("--" + name);
  if (words.names.empty()) words.names.push_back(option.get_name());
  words.help = option.get_description();
  words.takes_value = option.get_items_expected_max() > 0;
  words.repeats = option.get_items_expected_max() > 1;
  words.choices = choices_in(option.get_type_name());
  words.takes_files = words.choices.empty() || option.get_type_name().find("} or a file") != std::string::npos;
  return words;
}

CommandWords describe(const CLI::App& app, const std::string& name) {
  CommandWords words{.name = name, .help = app.get_description(), .options = {}, .positionals = {}};
  for (const CLI::Option* option : app.get_options()) {
    (option->get_positional() ? words.positionals : words.options).push_back(describe(*option));
  }
  return words;
}

// A command of a command, as `world render`, follows it under both its words.
std::vector<CommandWords> describe_program(const CLI::App& app, const std::string& name = "") {
  std::vector<CommandWords> commands{describe(app, name)};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string below = name.empty() ? command->get_name() : name + " " + command->get_name();
    for (CommandWords& words : describe_program(*command, below)) commands.push_back(std::move(words));
  }
  return commands;
}

}  // namespace

void add_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Print a completion script for a shell");
  command->add_option("shell", *shell, "The shell")->required()->check(CLI::IsMember({"bash", "zsh"}));
  command->footer(
      "For every new shell, add to ~/.bashrc: source <(sgf completion bash)\n"
      "or to ~/.zshrc, after compinit:        source <(sgf completion zsh)");
  command->callback([shell, &app] {
    const std::vector<CommandWords> commands = describe_program(app);
    print_lines(stdout, *shell == "bash" ? bash_completion(commands) : zsh_completion(commands));
  });
}

}  // namespace sgf
