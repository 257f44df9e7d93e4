#include "sgf/training/distributed/rank_agreement.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/sha256.h"

#include <algorithm>
#include <charconv>

namespace sgf {
namespace {

void append_field(std::string& text, std::string_view field) { text += fmt::format("{}:{}", field.size(), field); }

// Removes "5:bytes" from the beginning of `rest`.
std::string take_field(std::string_view& rest) {
  size_t length = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), length);
  const auto start = static_cast<size_t>(end - rest.data()) + 1;
  SGF_CHECK(error == std::errc() && start <= rest.size() && rest[start - 1] == ':' && length <= rest.size() - start,
            "expected the terms of a rank, got {}", in_quotes(rest));
  const std::string field(rest.substr(start, length));
  rest.remove_prefix(start + length);
  return field;
}

const RunTerm* find_term(const RunTerms& terms, const std::string& key) {
  const auto found = std::ranges::find(terms, key, &RunTerm::key);
  return found == terms.end() ? nullptr : &*found;
}

std::string quote(const std::optional<std::string>& value) { return value ? in_quotes(*value) : "nothing"; }

// Long values are shortened and could look equal, so their hash is shown too.
std::string quote_with_hash(const std::string& value) {
  return fmt::format("{} (SHA-256 {})", in_quotes(value), sha256_of(value).substr(0, 12));
}

}  // namespace

std::string write_terms(const RunTerms& terms) {
  std::string text;
  for (const RunTerm& term : terms) {
    append_field(text, term.key);
    append_field(text, term.value);
  }
  return text;
}

RunTerms read_terms(std::string_view text) {
  RunTerms terms;
  while (!text.empty()) {
    std::string key = take_field(text);
    terms.push_back({std::move(key), take_field(text)});
  }
  return terms;
}

std::optional<TermDifference> first_difference(const RunTerms& first, const RunTerms& other) {
  for (const auto& [key, value] : first) {
    const RunTerm* found = find_term(other, key);
    if (found == nullptr) return TermDifference{key, value, std::nullopt};
    if (found->value != value) return TermDifference{key, value, found->value};
  }
  for (const auto& [key, value] : other)
    if (find_term(first, key) == nullptr) return TermDifference{key, std::nullopt, value};
  return std::nullopt;
}

std::string describe_difference(const TermDifference& difference, const std::string& first_name,
                                const std::string& other_name) {
  std::string first = quote(difference.first), other = quote(difference.other);
  if (first == other && difference.first && difference.other) {
    first = quote_with_hash(*difference.first);
    other = quote_with_hash(*difference.other);
  }
  return fmt::format("the ranks differ in {}: {} on {}, {} on {}; start all ranks with the same config, build and data",
                     difference.key, first, first_name, other, other_name);
}

}  // namespace sgf
