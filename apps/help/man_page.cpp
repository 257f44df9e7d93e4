#include "apps/help/man_page.h"

#include "apps/help/help_page.h"

#include <fmt/format.h>

#include <algorithm>

namespace sgf {

namespace assets {
extern const std::string_view man_environment_troff;
}

namespace {

// Hyphens stay hyphens, so that examples can be copied; a line of text is never a request.
std::string troff(std::string_view text) {
  std::string escaped = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text)
    escaped += c == '\\' ? std::string("\\e") : c == '-' ? std::string("\\-") : std::string(1, c);
  return escaped;
}

std::string troff_quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : troff(text)) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// Paragraphs; lines that begin with a space stay lines.
std::string troff_paragraphs(std::string_view text) {
  std::string page = ".PP\n";
  bool is_example = false;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const bool starts_example = line.starts_with(' ');
    if (starts_example && !is_example) page += ".PP\n.nf\n.RS 4\n";
    if (!starts_example && is_example) page += ".RE\n.fi\n";
    is_example = starts_example;
    if (line.empty())
      page += ".PP\n";
    else
      page += troff(line.substr(line.find_first_not_of(' '))) + "\n";
  }
  return is_example ? page + ".RE\n.fi\n" : page;
}

std::string troff_arguments(const std::vector<ArgumentWords>& arguments) {
  std::string page;
  for (const ArgumentWords& argument : arguments)
    page += fmt::format(".TP\n.B {}\n{}\n", troff(shown_argument(argument)), troff(full_help(argument)));
  return page;
}

std::string troff_command(const CommandWords& command, const std::vector<CommandWords>& commands) {
  const bool has_commands = !commands_below(command, commands).empty();
  std::string page = fmt::format(".SS {}\n{}.\n.PP\n.B {}\n", troff_quoted("sgf " + command.name), troff(command.help),
                                 troff(usage_of(command, has_commands)));
  page += troff_arguments(command.positionals) + troff_arguments(command.options);
  return command.footer.empty() ? page : page + troff_paragraphs(command.footer);
}

std::string troff_overview(const std::vector<CommandWords>& commands) {
  std::string page, group;
  for (const CommandWords& command : commands_below(commands.front(), commands)) {
    if (command.group != group) page += fmt::format(".SS {}\n", troff_quoted(command.group));
    group = command.group;
    page += fmt::format(".TP\n.B {}\n{}\n", troff(command.name), troff(command.help));
  }
  return page;
}

}  // namespace

std::string man_page(const std::vector<CommandWords>& commands, const std::string& version) {
  const CommandWords& program = commands.front();
  std::string page = fmt::format(".TH SGF 1 \"\" {} \"User Commands\"\n.SH NAME\nsgf \\- {}\n",
                                 troff_quoted("sgf " + version), troff(program.help));
  page += fmt::format(".SH SYNOPSIS\n.B {}\n", troff(usage_of(program, true)));
  page += ".SH DESCRIPTION\n" + troff_overview(commands);
  page += ".SH OPTIONS\n" + troff_arguments(program.options);
  if (!program.footer.empty()) page += troff_paragraphs(program.footer);
  page += ".SH COMMANDS\n";
  for (const CommandWords& command : commands)
    if (!command.name.empty()) page += troff_command(command, commands);
  return page.append(assets::man_environment_troff);
}

}  // namespace sgf
