// Spelling of numbers and text in YAML; see the header.
#include "sgf/config/yaml_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "sgf/core/error.h"
#include "sgf/core/printable.h"
#include "sgf/core/utf8.h"

namespace sgf {
namespace {

// Characters to escape between double quotes: the quote, and what YAML folds or drops or no terminal shows.
std::string escape_character(std::string_view character) {
  const char32_t code = code_point_of(character);
  if (character == "\"" || character == "\\") return fmt::format("\\{}", character);
  if (character == "\n") return "\\n";
  if (character == "\t") return "\\t";
  if (is_printable(code)) return std::string(character);
  const auto number = static_cast<uint32_t>(code);
  if (code < 0x100) return fmt::format("\\x{:02X}", number);
  return code < 0x10000 ? fmt::format("\\u{:04X}", number) : fmt::format("\\U{:08X}", number);
}

std::string escape(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    SGF_CHECK(length > 0, "text in a config must be UTF-8, got byte 0x{:02X}", static_cast<unsigned char>(text[0]));
    escaped += escape_character(text.substr(0, length));
    text.remove_prefix(length);
  }
  return escaped;
}

// YAML 1.1 readers read these as booleans or null.
bool is_reserved_word(std::string_view text) {
  constexpr std::array<std::string_view, 9> kReserved = {"true", "false", "yes", "no", "on", "off", "y", "n", "null"};
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::find(kReserved.begin(), kReserved.end(), lower) != kReserved.end();
}

// Deliberately narrow: it starts with a letter, so it is not a number, and holds nothing with a meaning in YAML.
bool can_stand_plain(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_safe = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || std::string_view("_-./ ").find(c) != std::string_view::npos;
  };
  if (text.empty() || !is_letter(text.front()) || text.back() == ' ') return false;
  return std::all_of(text.begin(), text.end(), is_safe) && !is_reserved_word(text);
}

}  // namespace

std::string spell_number(double value) {
  SGF_CHECK(std::isfinite(value), "a number in a config must be finite, got {}", value);
  std::string digits = fmt::format("{}", value);
  if (digits.find('.') != std::string::npos) return digits;
  return digits.insert(std::min(digits.find('e'), digits.size()), ".0");
}

std::string spell_text(std::string_view text) {
  return can_stand_plain(text) ? std::string(text) : fmt::format("\"{}\"", escape(text));
}

}  // namespace sgf
