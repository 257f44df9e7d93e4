#include "apps/help/misuse_words.h"

#include "sgf/core/in_quotes.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

namespace sgf {
namespace {

using Split = std::optional<std::pair<std::string, std::string>>;

// Before and after the first mark.
Split split_at(const std::string& text, std::string_view mark) {
  const size_t place = text.find(mark);
  if (place == std::string::npos) return std::nullopt;
  return std::pair(text.substr(0, place), text.substr(place + mark.size()));
}

std::string without_zeros(std::string number) {
  if (number.find('.') == std::string::npos) return number;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.ends_with('.')) number.pop_back();
  return number;
}

// "1 to 1024", "[1 - 1024]" and "0.000000 to 1000000.000000", as versions of CLI11 write it.
std::string range_words(std::string range) {
  if (range.starts_with('[') && range.ends_with(']')) range = range.substr(1, range.size() - 2);
  for (const char* mark : {" to ", " - "})
    if (const Split limits = split_at(range, mark))
      return fmt::format("{} to {}", without_zeros(limits->first), without_zeros(limits->second));
  return range;
}

// "{auto,cpu,cuda}" is "auto, cpu or cuda".
std::string choice_words(const std::string& set) {
  std::string words;
  for (const char c : set)
    if (c != '{' && c != '}') words += c == ',' ? std::string(", ") : std::string(1, c);
  const size_t last = words.rfind(", ");
  return last == std::string::npos ? words : words.substr(0, last) + " or " + words.substr(last + 2);
}

// "2 required TIME PROMPT missing": how many values an option takes, and which.
std::string needed_values(const std::string& option, const std::string& said) {
  const std::string count = said.substr(0, said.find(' '));
  if (count == "1") return fmt::format("{} needs a value", option);
  const std::string_view after = " required ", end = " missing";
  const size_t names = said.find(after) + after.size();
  return fmt::format("{} needs {} values: {}", option, count, said.substr(names, said.size() - names - end.size()));
}

// "At Most 1 required but received 2", "At least 2 required but received 1".
std::string count_words(const std::string& option, const std::string& said) {
  const Split counts = split_at(said, " required but received ");
  const std::string limit = counts->first.substr(counts->first.rfind(' ') + 1);
  if (said.starts_with("At Most ") && limit == "0") return fmt::format("{} takes no value", option);
  if (said.starts_with("At Most "))
    return fmt::format("{} takes {}, got {}", option, limit == "1" ? "one value" : "at most " + limit + " values",
                       counts->second);
  return fmt::format("{} needs {}{} value{}, got {}", option, said.starts_with("At least ") ? "at least " : "", limit,
                     limit == "1" ? "" : "s", counts->second);
}

// "ITEMS..." takes several values, but one of them is wrong.
std::string one_of(std::string option) {
  if (option.ends_with("...")) option.resize(option.size() - 3);
  return option;
}

// What a check says about the value of an option.
std::string value_words(const std::string& option, const std::string& said) {
  if (said.starts_with("Value "))
    if (const Split range = split_at(said.substr(6), " not in range "))
      return fmt::format("{} must be {}, got {}", option, range_words(range->second), range->first);
  if (const Split set = split_at(said, " not in {"))
    return fmt::format("{} must be {}, got {}", option, choice_words(set->second), in_quotes(set->first));
  if (said.find(" required ") != std::string::npos && said.ends_with(" missing")) return needed_values(option, said);
  if (said.find(" required but received ") != std::string::npos) return count_words(option, said);
  if (said.starts_with(option + " ")) return said;
  return said.starts_with("must ") || said.starts_with("needs ") ? fmt::format("{} {}", option, said)
                                                                 : fmt::format("{}: {}", option, said);
}

bool is_of_value(const std::string& option) { return !option.empty() && option.find(' ') == std::string::npos; }

}  // namespace

std::string misuse_words(const std::string& sentence) {
  if (sentence == "A subcommand is required") return "a command is missing";
  if (sentence.ends_with(" is required")) return sentence.substr(0, sentence.size() - 12) + " is missing";
  for (const char* kind : {"argument", "arguments"})
    for (const char* verb : {"was", "were"})
      if (const std::string begin = fmt::format("The following {} {} not expected: ", kind, verb);
          sentence.starts_with(begin))
        return fmt::format("unexpected {} {}", kind, sentence.substr(begin.size()));
  if (const Split both = split_at(sentence, " excludes "); both && is_of_value(both->first))
    return fmt::format("{} cannot be combined with {}; pass one of them", both->first, both->second);
  if (const Split both = split_at(sentence, " requires "); both && is_of_value(both->first))
    return fmt::format("{} needs {}", both->first, both->second);
  if (sentence.starts_with("Could not convert: "))
    if (const Split given = split_at(sentence.substr(19), " = "))
      return fmt::format("{} must be a number, got {}", given->first, in_quotes(given->second));
  if (const Split said = split_at(sentence, ": "); said && is_of_value(said->first))
    return value_words(one_of(said->first), said->second);
  return sentence;
}

}  // namespace sgf
