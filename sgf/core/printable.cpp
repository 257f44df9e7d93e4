#include "sgf/core/printable.h"

#include "sgf/core/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace sgf {
namespace {

struct CodeRange {
  char32_t first;
  char32_t last;
};

// Unicode categories Cc, Zl and Zp, and all invisible characters of Cf except the two joiners.
constexpr std::array<CodeRange, 15> kUnprintable{{{0x00, 0x1F},          // C0 controls
                                                  {0x7F, 0x9F},          // delete, C1 controls
                                                  {0xAD, 0xAD},          // soft hyphen
                                                  {0x61C, 0x61C},        // Arabic letter mark
                                                  {0x180E, 0x180E},      // Mongolian vowel separator
                                                  {0x200B, 0x200B},      // zero width space
                                                  {0x200E, 0x200F},      // direction marks
                                                  {0x2028, 0x202E},      // line breaks, direction overrides
                                                  {0x2060, 0x206F},      // word joiner, direction isolates
                                                  {0xFEFF, 0xFEFF},      // byte order mark
                                                  {0xFFF9, 0xFFFB},      // interlinear annotation
                                                  {0xFFFE, 0xFFFF},      // not characters
                                                  {0x1BCA0, 0x1BCA3},    // shorthand format
                                                  {0x1D173, 0x1D17A},    // musical format
                                                  {0xE0000, 0xE0FFF}}};  // tags

// Length of the character at the beginning, or 1 for a byte that belongs to none.
size_t step_of(std::string_view rest) { return std::max<size_t>(1, utf8_length(rest)); }

void append_bytes(std::string& out, std::string_view bytes) {
  for (const char byte : bytes) fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(byte));
}

// JSON's escapes are UTF-16.
void append_json_escape(std::string& out, char32_t code) {
  const auto append = [&](uint32_t unit) { fmt::format_to(std::back_inserter(out), "\\u{:04x}", unit); };
  if (code < 0x10000) return append(code);
  append(0xD800 + ((code - 0x10000) >> 10));
  append(0xDC00 + ((code - 0x10000) & 0x3FF));
}

// Appends text character by character. `escape` spells unprintable characters; `keeps_lines` keeps newlines.
template <class Escape>
std::string escaped(std::string_view text, bool keeps_lines, Escape escape) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::string_view character = text.substr(0, step_of(text));
    const bool is_kept =
        (keeps_lines && character == "\n") || (utf8_length(character) > 0 && is_printable(code_point_of(character)));
    if (is_kept)
      out += character;
    else
      escape(out, character);
    text.remove_prefix(character.size());
  }
  return out;
}

}  // namespace

bool is_printable(char32_t character) {
  return std::none_of(kUnprintable.begin(), kUnprintable.end(),
                      [&](CodeRange range) { return character >= range.first && character <= range.last; });
}

std::string printable(std::string_view text, size_t longest) {
  const std::string_view start = cut_utf8(text, longest);
  return escaped(start, /*keeps_lines=*/false, append_bytes) + (start.size() < text.size() ? "..." : "");
}

std::string printable_lines(std::string_view text) { return escaped(text, /*keeps_lines=*/true, append_bytes); }

std::string printable_json(std::string_view json) {
  return escaped(json, /*keeps_lines=*/true, [](std::string& out, std::string_view character) {
    append_json_escape(out, utf8_length(character) > 0 ? code_point_of(character) : 0xFFFD);
  });
}

}  // namespace sgf
