#include "apps/help/program_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <utility>

namespace sgf {
namespace {

// CLI11 shows the choices of an option in the name of its type: "TEXT:{wan,diffusers,keep}".
std::vector<std::string> choices_in(const std::string& type_name) {
  const size_t open = type_name.find('{'), close = type_name.find('}');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  return CLI::detail::split(type_name.substr(open + 1, close - open - 1), ',');
}

// "INT:INT in [0 - 51]" is 0 to 51; "INT:POSITIVE" is at least 1.
std::string range_in(const std::string& type_name) {
  const bool is_integer = type_name.starts_with("INT") || type_name.starts_with("UINT");
  if (type_name.ends_with("POSITIVE")) return is_integer ? "at least 1" : "above 0";
  if (type_name.ends_with("NONNEGATIVE")) return "0 or more";
  const size_t from = type_name.find(" in ["), middle = type_name.rfind(" - "), to = type_name.rfind(']');
  if (from == std::string::npos || middle == std::string::npos || to == std::string::npos) return "";
  return fmt::format("{} to {}", std::stod(type_name.substr(from + 5, middle - from - 5)),
                     std::stod(type_name.substr(middle + 3, to - middle - 3)));
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// The words of checks follow the type after a colon; that of FILE[:SCALE] is the type's own.
std::string type_without_checks(const std::string& type_name) {
  size_t colon = type_name.find(':');
  while (colon != std::string::npos && colon > 0 && type_name[colon - 1] == '[') colon = type_name.find(':', colon + 1);
  return type_name.substr(0, colon);
}

std::string value_of(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return "";
  const std::string type = type_without_checks(option.get_type_name());
  if (type == "INT" || type == "UINT") return "N";
  if (type == "FLOAT") return "X";
  if (type == "TEXT" && !choices_in(option.get_type_name()).empty()) return "NAME";
  return type;
}

std::string any_of(const std::vector<std::string>& words) {
  if (words.size() < 2) return fmt::format("{}", fmt::join(words, ""));
  return fmt::format("{} or {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

bool names_all(const std::string& text, const std::vector<std::string>& words) {
  return std::ranges::all_of(words, [&](const std::string& word) { return text.find(word) != std::string::npos; });
}

// A list of more is for completion.
constexpr size_t kMostListed = 30;

std::string choice_limits(const ArgumentWords& words) {
  const size_t choices = words.choices.size();
  if (choices == 0 || choices > kMostListed || names_all(words.help, words.choices)) return "";
  return (words.takes_files ? "bundled: " : "") + any_of(words.choices);
}

std::vector<std::string> names_of(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options)
    names.push_back(option->nonpositional() ? option->get_name() : upper(option->get_name()));
  std::ranges::sort(names);
  return names;
}

std::string limits_of(const CLI::Option& option, const ArgumentWords& words) {
  std::vector<std::string> parts{choice_limits(words), range_in(option.get_type_name())};
  if (!option.get_default_str().empty()) parts.push_back("default " + option.get_default_str());
  if (words.is_required && option.nonpositional()) parts.emplace_back("required");
  if (const auto needed = names_of(option.get_needs()); !needed.empty()) parts.push_back("with " + any_of(needed));
  if (const auto others = names_of(option.get_excludes()); !others.empty())
    parts.push_back("not with " + any_of(others));
  std::erase(parts, "");
  return fmt::format("{}", fmt::join(parts, "; "));
}

ArgumentWords describe_argument(const CLI::Option& option) {
  ArgumentWords words;
  for (const std::string& name : option.get_snames()) words.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) words.names.push_back("--" + name);
  if (words.names.empty()) words.names.push_back(option.get_name());
  words.value = value_of(option);
  if (words.takes_value() && option.get_items_expected_min() == 0) words.value = "[" + words.value + "]";
  words.help = option.get_description();
  words.group = option.get_group();
  words.is_required = option.get_required();
  words.repeats = option.get_items_expected_max() > 1;
  words.is_list = option.get_delimiter() != '\0';
  words.choices = choices_in(option.get_type_name());
  words.takes_files = words.choices.empty() || option.get_type_name().find("} or a file") != std::string::npos;
  const bool is_untold = words.value == "TEXT" || words.value == "NAME";
  if (option.get_positional() && is_untold) words.value = upper(words.names.front());
  words.limits = limits_of(option, words);
  return words;
}

void describe_below(const CLI::App& app, const std::string& name, std::vector<CommandWords>& all) {
  all.push_back(describe_command(app, name));
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    describe_below(*command, name.empty() ? command->get_name() : name + " " + command->get_name(), all);
}

}  // namespace

CommandWords describe_command(const CLI::App& command, const std::string& name) {
  CommandWords words{.name = name,
                     .help = command.get_description(),
                     .group = command.get_group(),
                     .footer = command.get_footer(),
                     .needs_command = command.get_require_subcommand_min() > 0,
                     .options = {},
                     .positionals = {}};
  for (const CLI::Option* option : command.get_options())
    if (option != command.get_help_ptr())
      (option->get_positional() ? words.positionals : words.options).push_back(describe_argument(*option));
  if (command.get_help_ptr() != nullptr) words.options.push_back(describe_argument(*command.get_help_ptr()));
  return words;
}

std::vector<CommandWords> describe_program(const CLI::App& program) {
  std::vector<CommandWords> all;
  describe_below(program, "", all);
  return all;
}

}  // namespace sgf
