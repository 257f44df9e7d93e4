#include "sgf/text/code_points.h"

#include "sgf/text/tables/unicode_tables.h"

#include <algorithm>
#include <cstdint>

namespace sgf {
namespace {

uint8_t byte_at(std::string_view text, size_t at) { return at < text.size() ? static_cast<uint8_t>(text[at]) : 0; }

bool is_surrogate(char32_t c) { return c >= 0xd800 && c <= 0xdfff; }

size_t sequence_length(uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

// One character and its length in bytes. A length of 0 means that the bytes are invalid.
struct Decoded {
  char32_t c = kReplacementCharacter;
  size_t bytes = 0;
};

// Checks for the shortest form and the range; surrogates are left to the caller.
Decoded decode_one(std::string_view text, size_t at) {
  const uint8_t lead = byte_at(text, at);
  const size_t length = sequence_length(lead);
  if (length == 0 || at + length > text.size()) return {};
  if (length == 1) return {lead, 1};
  char32_t c = lead & (0xffu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    const uint8_t next = byte_at(text, at + i);
    if ((next & 0xc0) != 0x80) return {};
    c = (c << 6) | (next & 0x3fu);
  }
  const bool is_shortest = length == 2 || (length == 3 ? c >= 0x800 : c >= 0x10000);
  return is_shortest && c <= 0x10ffff ? Decoded{c, length} : Decoded{};
}

// How many bytes of a broken sequence become one U+FFFD: those that could still start a character.
size_t broken_length(std::string_view text, size_t at) {
  const size_t length = sequence_length(byte_at(text, at));
  size_t bytes = 1;
  while (bytes < length && (byte_at(text, at + bytes) & 0xc0) == 0x80) ++bytes;
  return bytes;
}

// Surrogates encoded separately, and Java's NUL. A C0 at the end of a line counts as one too and consumes the line
// break: the program whose results these must equal does the same.
Decoded decode_variant(std::string_view text, size_t at) {
  if (byte_at(text, at) == 0xc0) {
    const bool ends_line = at + 2 == text.size() && text[at + 1] == '\n';
    return byte_at(text, at + 1) == 0x80 || ends_line ? Decoded{0, 2} : Decoded{};
  }
  const Decoded high = decode_one(text, at), low = decode_one(text, at + 3);
  const bool is_pair = high.c >= 0xd800 && high.c <= 0xdbff && low.c >= 0xdc00 && low.c <= 0xdfff;
  return is_pair ? Decoded{0x10000 + ((high.c - 0xd800) << 10) + (low.c - 0xdc00), 6} : Decoded{};
}

template <class Ranges>
bool lies_in(const Ranges& ranges, char32_t c) {
  const auto after = std::ranges::upper_bound(ranges, c, {}, [](const auto& range) { return range.first; });
  return after != ranges.begin() && c <= (after - 1)->last;
}

}  // namespace

std::u32string decode_utf8(std::string_view text) {
  std::u32string out;
  for (size_t at = 0; at < text.size();) {
    const Decoded one = decode_one(text, at);
    out.push_back(one.c);
    at += one.bytes > 0 ? one.bytes : broken_length(text, at);
  }
  return out;
}

std::optional<std::u32string> decode_strict_utf8(std::string_view text) {
  std::u32string out;
  for (size_t at = 0; at < text.size();) {
    Decoded one = decode_one(text, at);
    if (one.bytes == 0 || is_surrogate(one.c)) one = decode_variant(text, at);
    if (one.bytes == 0) return std::nullopt;
    out.push_back(one.c);
    at += one.bytes;
  }
  return out;
}

std::string encode_utf8(std::u32string_view text) {
  std::string out;
  for (char32_t c : text) {
    if (is_surrogate(c)) c = kReplacementCharacter;
    const auto tail = [&](int shift) { out.push_back(static_cast<char>(0x80 | ((c >> shift) & 0x3f))); };
    const auto lead = [&](uint32_t mark, int shift) { out.push_back(static_cast<char>(mark | (c >> shift))); };
    if (c < 0x80) {
      out.push_back(static_cast<char>(c));
    } else if (c < 0x800) {
      lead(0xc0, 6), tail(0);
    } else if (c < 0x10000) {
      lead(0xe0, 12), tail(6), tail(0);
    } else {
      lead(0xf0, 18), tail(12), tail(6), tail(0);
    }
  }
  return out;
}

bool is_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x20) || c == 0x85 || c == 0xa0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

bool is_word(char32_t c) { return lies_in(word_ranges(), c); }

}  // namespace sgf
