#include "apps/help/missing_values.h"

#include "sgf/core/in_quotes.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

namespace sgf {
namespace {

// Before the option's other checks: that the word is no number either would only distract.
void refuse_in(CLI::Option& option, const std::vector<std::string>& words) {
  const std::string name = option.get_name();
  option.transform(CLI::Validator(
      [name, words](std::string& value) {
        if (!value.starts_with("--") || std::ranges::find(words, value) == words.end()) return std::string();
        return fmt::format("needs a value, got {}; write a value that begins with -- as {}={}", in_quotes(value), name,
                           value);
      },
      ""));
}

}  // namespace

void refuse_options_as_values(CLI::App& app, const std::vector<std::string>& words) {
  for (CLI::Option* option : app.get_options())
    if (!option->get_lnames().empty() && option->get_items_expected_max() > 0) refuse_in(*option, words);
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; }))
    refuse_options_as_values(*command, words);
}

}  // namespace sgf
