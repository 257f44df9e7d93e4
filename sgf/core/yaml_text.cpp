// Spelling of numbers and text in YAML; see the header.
#include "sgf/core/yaml_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "sgf/core/error.h"

namespace sgf {
namespace {

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

size_t announced_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

// Overlong forms, surrogates and code points past U+10FFFF all show in the second byte.
bool second_byte_allowed(unsigned char lead, unsigned char second) {
  if (lead == 0xE0) return second >= 0xA0;
  if (lead == 0xED) return second <= 0x9F;
  if (lead == 0xF0) return second >= 0x90;
  if (lead == 0xF4) return second <= 0x8F;
  return true;
}

// What must not stand raw between double quotes: controls, the quote itself, and what YAML folds or drops.
std::string escape_character(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character == "\"" || character == "\\") return fmt::format("\\{}", character);
  if (character == "\n") return "\\n";
  if (character == "\t") return "\\t";
  if (first < 0x20 || first == 0x7F) return fmt::format("\\x{:02X}", first);
  if (character == "\u2028") return "\\u2028";
  if (character == "\u2029") return "\\u2029";
  if (character == "\uFEFF") return "\\uFEFF";
  const bool is_c1_control = first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
  if (is_c1_control) return fmt::format("\\x{:02X}", static_cast<unsigned char>(character[1]));
  return std::string(character);
}

std::string escape(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    check(length > 0, "core", "text in a config must be UTF-8, got byte 0x{:02X}", static_cast<unsigned char>(text[0]));
    escaped += escape_character(text.substr(0, length));
    text.remove_prefix(length);
  }
  return escaped;
}

// YAML 1.1 readers take these for booleans or null.
bool is_reserved_word(std::string_view text) {
  constexpr std::array<std::string_view, 9> kReserved = {"true", "false", "yes", "no", "on", "off", "y", "n", "null"};
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::find(kReserved.begin(), kReserved.end(), lower) != kReserved.end();
}

// Deliberately narrow: starts with a letter, so it is no number, and holds nothing that YAML gives a meaning.
bool can_stand_plain(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_safe = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || std::string_view("_-./ ").find(c) != std::string_view::npos;
  };
  if (text.empty() || !is_letter(text.front()) || text.back() == ' ') return false;
  return std::all_of(text.begin(), text.end(), is_safe) && !is_reserved_word(text);
}

// Cut between characters, so that a message stays UTF-8.
std::string_view cut(std::string_view text, size_t length) {
  if (text.size() <= length) return text;
  while (length > 0 && is_continuation(text[length])) --length;
  return text.substr(0, length);
}

}  // namespace

size_t utf8_length(std::string_view rest) {
  if (rest.empty()) return 0;
  const auto lead = static_cast<unsigned char>(rest[0]);
  const size_t length = announced_length(lead);
  if (length < 2) return length;
  if (rest.size() < length || !second_byte_allowed(lead, static_cast<unsigned char>(rest[1]))) return 0;
  const bool complete = std::all_of(rest.begin() + 1, rest.begin() + static_cast<ptrdiff_t>(length), is_continuation);
  return complete ? length : 0;
}

std::string spell_number(double value) {
  check(std::isfinite(value), "core", "a number in a config must be finite, got {}", value);
  std::string digits = fmt::format("{}", value);
  if (digits.find('.') != std::string::npos) return digits;
  return digits.insert(std::min(digits.find('e'), digits.size()), ".0");
}

std::string spell_text(std::string_view text) {
  return can_stand_plain(text) ? std::string(text) : fmt::format("\"{}\"", escape(text));
}

std::string quote_for_message(std::string_view text) {
  constexpr size_t kLongestShown = 60;
  const std::string_view start = cut(text, kLongestShown);
  return fmt::format("'{}{}'", escape(start), start.size() < text.size() ? "..." : "");
}

}  // namespace sgf
