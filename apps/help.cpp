// `sgf help [COMMAND…]`: what `sgf COMMAND --help` prints, and the manual page.
#include "apps/help/help.h"
#include "apps/commands.h"
#include "apps/help/help_page.h"
#include "apps/help/man_page.h"
#include "apps/help/program_words.h"
#include "apps/say.h"
#include "sgf/core/build_version.h"
#include "sgf/core/in_quotes.h"
#include "sgf/core/nearest_name.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sgf {
namespace {

struct HelpArgs {
  std::vector<std::string> words;
  bool man = false;
};

std::vector<const CLI::App*> subcommands_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) { return true; });
}

const CLI::App& find_subcommand(const CLI::App& command, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::App* below : subcommands_of(command)) {
    if (below->get_name() == word) return *below;
    known.push_back(below->get_name());
  }
  const std::optional<std::string> nearest = nearest_name(word, known);
  throw CLI::ParseError(
      fmt::format("no command {}{}", in_quotes(word), nearest ? fmt::format("; did you mean {}?", *nearest) : ""), 2);
}

void print_help(const CLI::App& program, const std::vector<std::string>& words) {
  const CLI::App* command = &program;
  std::string name = program.get_name();
  for (const std::string& word : words) {
    command = &find_subcommand(*command, word);
    name += " " + word;
  }
  print_lines(stdout, help_of(*command, name));
}

}  // namespace

std::string help_of(const CLI::App& command, const std::string& name) {
  const std::string words = name.substr(std::min(name.find(' '), name.size() - 1) + 1);  // without the program's own
  std::vector<CommandWords> below;
  for (const CLI::App* sub : subcommands_of(command)) below.push_back(describe_command(*sub, sub->get_name()));
  return help_page(describe_command(command, words), below, help_width());
}

void add_help(CLI::App& app) {
  auto args = std::make_shared<HelpArgs>();
  CLI::App* command = app.add_subcommand("help", "Show the help of a command, or the manual page");
  command->add_option("command", args->words, "command, for example world render (default: the program)");
  command->add_flag("--man", args->man, "print the manual page sgf(1) in troff");
  command->footer(
      "Examples:\n"
      "  sgf help world render\n"
      "  sgf help --man | man -l -");
  command->callback([args, &app] {
    if (args->man) return print_lines(stdout, man_page(describe_program(app), build_version()));
    print_help(app, args->words);
  });
}

}  // namespace sgf
