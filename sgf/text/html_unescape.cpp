#include "sgf/text/html_unescape.h"

#include "sgf/text/code_points.h"
#include "sgf/text/tables/html_entity_tables.h"
#include "sgf/text/tables/mojibake_tables.h"

#include <algorithm>
#include <optional>

namespace sgf {
namespace {

constexpr size_t kLongestName = 32;    // of a name in a browser
constexpr size_t kLongestEntity = 24;  // of an entity in ftfy

bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }
bool is_hex_digit(char32_t c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_latin(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

uint32_t digit_value(char32_t c) { return is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10; }

const HtmlEntity* find_entity(std::span<const HtmlEntity> table, std::u32string_view name) {
  if (!std::ranges::all_of(name, [](char32_t c) { return c < 0x80; })) return nullptr;
  const std::string plain(name.begin(), name.end());
  const auto found = std::ranges::lower_bound(table, std::string_view(plain), {}, &HtmlEntity::name);
  return found != table.end() && found->name == plain ? &*found : nullptr;
}

bool is_noncharacter(char32_t c) { return (c >= 0xfdd0 && c <= 0xfdef) || (c & 0xfffe) == 0xfffe; }

// HTML reads numbers of Windows-1252 bytes as their characters and drops controls and invalid code points.
std::u32string text_of_number(char32_t number) {
  if (number == 0 || number > 0x10ffff || (number >= 0xd800 && number <= 0xdfff)) return {kReplacementCharacter};
  if (number >= 0x80 && number <= 0x9f) {
    return {code_page_characters()[static_cast<size_t>(CodePage::kSloppy1252) * 128 + number - 0x80]};
  }
  const bool is_control = number < 0x20 && number != '\t' && number != '\n' && number != '\f' && number != '\r';
  if (is_control || number == 0x7f || is_noncharacter(number)) return {};
  return {number};
}

// The text that an escape stands for, and its length in characters, including the ampersand.
struct Unescaped {
  std::u32string text;
  size_t length = 0;
};

// "&#233;" or "&#xe9", where `text` begins with "&#"; nullopt if no digit follows.
std::optional<Unescaped> read_number(std::u32string_view text) {
  const bool is_hex = text.size() > 2 && (text[2] | 0x20) == 'x';
  const size_t begin = is_hex ? 3 : 2;
  size_t end = begin;
  char32_t number = 0;
  for (; end < text.size() && (is_hex ? is_hex_digit(text[end]) : is_digit(text[end])); ++end) {
    number = std::min<char32_t>(number * (is_hex ? 16 : 10) + digit_value(text[end]), 0x110000);
  }
  if (end == begin) return std::nullopt;
  if (end < text.size() && text[end] == ';') ++end;
  return Unescaped{text_of_number(number), end};
}

bool may_be_in_name(char32_t c) { return std::u32string_view(U"\t\n\f <&#;").find(c) == std::u32string_view::npos; }

// The longest entity name at the beginning of the word after the ampersand.
std::optional<Unescaped> read_name(std::u32string_view text) {
  size_t end = 1;
  while (end < text.size() && end <= kLongestName && may_be_in_name(text[end])) ++end;
  if (end == 1) return std::nullopt;
  if (end < text.size() && text[end] == ';') ++end;
  for (size_t length = end - 1; length >= 2; --length) {
    if (const HtmlEntity* entity = find_entity(html_entities(), text.substr(1, length))) {
      return Unescaped{std::u32string(entity->text), length + 1};
    }
  }
  return std::nullopt;
}

std::optional<Unescaped> read_escape(std::u32string_view text) {
  return text.size() > 1 && text[1] == '#' ? read_number(text) : read_name(text);
}

// The length of "&name;" or "&#name;" at the beginning of the text, or 0.
size_t whole_entity_length(std::u32string_view text) {
  const size_t begin = text.size() > 1 && text[1] == '#' ? 2 : 1;
  size_t end = begin;
  while (end < text.size() && (is_digit(text[end]) || is_latin(text[end]))) ++end;
  const bool is_whole = end > begin && end - begin <= kLongestEntity && end < text.size() && text[end] == ';';
  return is_whole ? end + 1 : 0;
}

// A numeric escape must end with its semicolon and must not stand for a semicolon.
std::optional<Unescaped> read_whole_entity(std::u32string_view text) {
  const size_t length = whole_entity_length(text);
  if (length == 0) return std::nullopt;
  if (text[1] == '#') {
    std::optional<Unescaped> number = read_number(text);
    return number && number->length == length && number->text != U";" ? number : std::nullopt;
  }
  const std::u32string_view name = text.substr(1, length - 1);
  const HtmlEntity* entity = find_entity(html_entities(), name);
  if (entity == nullptr) entity = find_entity(capital_entities(), name);
  return entity == nullptr ? std::nullopt : std::optional(Unescaped{std::u32string(entity->text), length});
}

template <class Read>
std::u32string replace_escapes(std::u32string_view text, const Read& read) {
  std::u32string out;
  for (size_t at = 0; at < text.size();) {
    const std::optional<Unescaped> found = text[at] == '&' ? read(text.substr(at)) : std::nullopt;
    if (found) {
      out += found->text;
      at += found->length;
    } else {
      out.push_back(text[at++]);
    }
  }
  return out;
}

}  // namespace

std::u32string unescape_whole_entities(std::u32string_view text) { return replace_escapes(text, read_whole_entity); }

std::u32string unescape_html(std::u32string_view text) { return replace_escapes(text, read_escape); }

}  // namespace sgf
