#include "apps/help/help_page.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace sgf {
namespace {

constexpr size_t kNarrowest = 50, kWidest = 120, kUsual = 80;
constexpr size_t kWidestNames = 26;  // longer ones stand on a line of their own

// In characters: the bytes of UTF-8 that continue a character take no room.
size_t columns_of(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char byte) { return (byte & 0xc0) != 0x80; }));
}

std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t at = 0; (at = text.find_first_not_of(" \n", at)) != std::string_view::npos;) {
    const size_t end = std::min(text.find_first_of(" \n", at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

struct HelpRow {
  std::string name, text;
};

size_t name_columns(const std::vector<HelpRow>& rows) {
  size_t widest = 0;
  for (const HelpRow& row : rows)
    if (columns_of(row.name) <= kWidestNames) widest = std::max(widest, columns_of(row.name));
  return widest + 4;  // two spaces on either side
}

// Names to the left, what they mean to the right.
std::string two_columns(const std::vector<HelpRow>& rows, size_t column, size_t width) {
  std::string text;
  for (const HelpRow& row : rows) {
    const std::string right = wrapped(row.text, width, column);
    const std::string name = "  " + row.name;
    const bool fits = columns_of(name) + 2 <= column && !right.empty();
    text += fits ? name + right.substr(columns_of(name)) : name + "\n" + right;
  }
  return text;
}

// The groups, in the order in which they first appear; options without a group of their own come last.
template <class Words>
std::vector<std::string> groups_of(const std::vector<Words>& all) {
  std::vector<std::string> groups;
  for (const Words& words : all)
    if (std::ranges::find(groups, words.group) == groups.end()) groups.push_back(words.group);
  std::ranges::stable_partition(groups, [](const std::string& group) { return group != "Options"; });
  return groups;
}

std::vector<HelpRow> help_rows(const std::vector<ArgumentWords>& arguments) {
  std::vector<HelpRow> rows;
  for (const ArgumentWords& argument : arguments) rows.push_back({shown_argument(argument), full_help(argument)});
  return rows;
}

std::vector<HelpRow> help_rows(const std::vector<CommandWords>& commands) {
  std::vector<HelpRow> rows;
  for (const CommandWords& command : commands) rows.push_back({last_word(command.name), command.help});
  return rows;
}

template <class Words>
std::string grouped(const std::vector<Words>& all, size_t width) {
  const size_t column = name_columns(help_rows(all));
  std::string text;
  for (const std::string& group : groups_of(all)) {
    std::vector<Words> members;
    std::ranges::copy_if(all, std::back_inserter(members), [&](const Words& words) { return words.group == group; });
    const std::string heading = group == "Subcommands" ? "Commands" : group;
    text += fmt::format("\n{}:\n{}", heading, two_columns(help_rows(members), column, width));
  }
  return text;
}

}  // namespace

size_t help_width() {
  winsize size{};
  const bool is_terminal = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_terminal ? std::clamp<size_t>(size.ws_col, kNarrowest, kWidest) : kUsual;
}

std::string wrapped(std::string_view text, size_t width, size_t indent) {
  const std::string margin(indent, ' ');
  std::string lines, line;
  for (const std::string_view word : words_in(text)) {
    if (!line.empty() && indent + columns_of(line) + 1 + columns_of(word) > width) {
      lines += margin + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + std::string(word);
  }
  return line.empty() ? lines : lines + margin + line + "\n";
}

std::string wrapped_paragraphs(std::string_view text, size_t width) {
  std::string page, paragraph;
  const auto end_paragraph = [&] { page += wrapped(paragraph, width), paragraph.clear(); };
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (!line.empty() && line.front() != ' ') {
      paragraph += std::string(line) + " ";
      continue;
    }
    end_paragraph();
    page += std::string(line) + "\n";
  }
  end_paragraph();
  return page;
}

std::string full_help(const ArgumentWords& argument) {
  if (argument.limits.empty()) return argument.help;
  const size_t told = argument.help.rfind(" (default");  // a default that is no value: "(default: chosen by torch)"
  if (told == std::string::npos) return fmt::format("{} ({})", argument.help, argument.limits);
  return fmt::format("{} ({}; {}", argument.help.substr(0, told), argument.limits, argument.help.substr(told + 2));
}

std::string shown_argument(const ArgumentWords& argument) {
  const bool is_positional = !argument.names.front().starts_with("-");
  if (is_positional) return argument.value + (argument.repeats ? "..." : "");
  std::string shown;
  for (const std::string& name : argument.names) shown += (shown.empty() ? "" : ", ") + name;
  return argument.takes_value() ? shown + " " + argument.value : shown;
}

std::string usage_of(const CommandWords& command, bool has_commands) {
  std::string usage = command.name.empty() ? "sgf" : "sgf " + command.name;
  if (!command.needs_command) usage += " [OPTIONS]";
  for (const ArgumentWords& argument : command.positionals)
    usage += fmt::format(fmt::runtime(argument.is_required ? " {}" : " [{}]"), shown_argument(argument));
  if (has_commands) usage += command.needs_command ? " COMMAND" : " [COMMAND]";
  return usage;
}

std::string help_page(const CommandWords& command, const std::vector<CommandWords>& below, size_t width) {
  std::string page = wrapped(command.help, width) + "\nUsage: " + usage_of(command, !below.empty()) + "\n";
  if (!command.positionals.empty()) {
    const std::vector<HelpRow> rows = help_rows(command.positionals);
    page += "\nArguments:\n" + two_columns(rows, name_columns(rows), width);
  }
  page += grouped(below, width);
  page += grouped(command.options, width);
  if (!command.footer.empty()) page += "\n" + wrapped_paragraphs(command.footer, width);
  return page;
}

}  // namespace sgf
