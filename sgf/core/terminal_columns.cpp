#include "sgf/core/terminal_columns.h"

#include "sgf/core/utf8.h"

#include <algorithm>
#include <array>

namespace sgf {
namespace {

struct ColumnRange {
  char32_t first;
  char32_t last;
};

// Unicode's East Asian Width W and F, in whole blocks.
constexpr std::array<ColumnRange, 14> kWide{{{0x1100, 0x115F},      // Hangul that leads
                                             {0x2E80, 0x303E},      // radicals, CJK punctuation
                                             {0x3041, 0x33FF},      // kana, CJK symbols
                                             {0x3400, 0x4DBF},      // ideographs, extension A
                                             {0x4E00, 0x9FFF},      // ideographs
                                             {0xA000, 0xA4CF},      // Yi
                                             {0xA960, 0xA97F},      // Hangul, extended
                                             {0xAC00, 0xD7A3},      // Hangul
                                             {0xF900, 0xFAFF},      // compatibility ideographs
                                             {0xFE30, 0xFE6F},      // compatibility and small forms
                                             {0xFF01, 0xFF60},      // full width
                                             {0x1F300, 0x1F64F},    // pictures and faces
                                             {0x1F900, 0x1F9FF},    // more of them
                                             {0x20000, 0x3FFFD}}};  // later ideographs

constexpr std::array<ColumnRange, 5> kCombining{{{0x300, 0x36F},  // accents
                                                 {0x1AB0, 0x1AFF},
                                                 {0x200C, 0x200D},  // joiners
                                                 {0x20D0, 0x20FF},
                                                 {0xFE00, 0xFE0F}}};  // variants

template <class Ranges>
bool lies_in(const Ranges& ranges, char32_t code) {
  return std::ranges::any_of(ranges,
                             [&](const ColumnRange& range) { return code >= range.first && code <= range.last; });
}

size_t columns_of(char32_t code) { return lies_in(kCombining, code) ? 0 : lies_in(kWide, code) ? 2 : 1; }

}  // namespace

size_t terminal_columns(std::string_view text) {
  size_t columns = 0;
  while (!text.empty()) {
    const size_t length = utf8_length(text);  // 0: a byte of no character, which takes a place of its own
    columns += length == 0 ? 1 : columns_of(code_point_of(text.substr(0, length)));
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return columns;
}

}  // namespace sgf
