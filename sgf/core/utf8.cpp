#include "sgf/core/utf8.h"

#include <algorithm>

namespace sgf {
namespace {

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

size_t announced_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

// Overlong forms, surrogates and code points past U+10FFFF can all be recognised by the second byte.
bool second_byte_allowed(unsigned char lead, unsigned char second) {
  if (lead == 0xE0) return second >= 0xA0;
  if (lead == 0xED) return second <= 0x9F;
  if (lead == 0xF0) return second >= 0x90;
  if (lead == 0xF4) return second <= 0x8F;
  return true;
}

}  // namespace

size_t utf8_length(std::string_view rest) {
  if (rest.empty()) return 0;
  const auto lead = static_cast<unsigned char>(rest[0]);
  const size_t length = announced_length(lead);
  if (length < 2) return length;
  if (rest.size() < length || !second_byte_allowed(lead, static_cast<unsigned char>(rest[1]))) return 0;
  const std::string_view others = rest.substr(1, length - 1);
  return std::all_of(others.begin(), others.end(), continues_character) ? length : 0;
}

char32_t code_point_of(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return lead;
  char32_t code = lead & (0x7Fu >> character.size());
  for (const char byte : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(byte) & 0x3Fu);
  return code;
}

std::string_view cut_utf8(std::string_view text, size_t longest) {
  if (text.size() <= longest) return text;
  // A character has at most 4 bytes. A longer run of continuation bytes is not a character and may be cut anywhere.
  size_t length = longest;
  while (length > 0 && longest - length < 4 && continues_character(text[length])) --length;
  return text.substr(0, continues_character(text[length]) ? longest : length);
}

// Without a mark, a character of UTF-16 that ASCII has too shows by its zero.
std::string_view foreign_encoding(std::string_view text) {
  using namespace std::string_view_literals;
  if (text.starts_with("\xFF\xFE\0\0"sv) || text.starts_with("\0\0\xFE\xFF"sv)) return "UTF-32";
  if (text.starts_with("\xFF\xFE"sv) || text.starts_with("\xFE\xFF"sv)) return "UTF-16";
  if (text.size() < 2 || (text[0] == 0) == (text[1] == 0)) return "";
  return text[0] == 0 ? "UTF-16BE" : "UTF-16LE";  // without a mark, iconv takes UTF-16 for that of the machine
}

}  // namespace sgf
