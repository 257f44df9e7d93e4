// Which characters indicate mojibake, and the code pages that produce them. Torch-free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sgf {

// One bit each; a character may have several.
enum MojibakeClass : uint32_t {
  kCommon = 1u << 0,  // also common in ordinary text
  kC1 = 1u << 1,      // control characters 0x80 to 0x9f
  kBad = 1u << 2,     // almost never intended
  kLaw = 1u << 3,
  kCurrency = 1u << 4,
  kStartPunctuation = 1u << 5,
  kEndPunctuation = 1u << 6,
  kNumeric = 1u << 7,
  kKaomoji = 1u << 8,  // letters used in kaomoji faces
  kUpperAccented = 1u << 9,
  kLowerAccented = 1u << 10,
  kUpperCommon = 1u << 11,
  kLowerCommon = 1u << 12,
  kBox = 1u << 13,
  kFirstOf2 = 1u << 14,  // a first byte of two, as some code page shows it
  kFirstOf3 = 1u << 15,
  kFirstOf4 = 1u << 16,
  kContinuation = 1u << 17,        // a later byte; includes a space for 0xa0
  kContinuationStrict = 1u << 18,  // the same, without characters that often occur next to mojibake
};

struct MojibakeRange {
  char32_t first;
  char32_t last;
  uint32_t classes;
};

std::span<const MojibakeRange> mojibake_ranges();  // in order of code points

// In the order in which they are tried. "Sloppy" pages decode unassigned bytes as Latin-1 does and encode U+FFFD as
// byte 0x1a.
enum class CodePage : size_t {
  kLatin1,
  kSloppy1252,
  kSloppy1251,
  kSloppy1250,
  kSloppy1253,
  kSloppy1254,
  kSloppy1257,
  kIso8859_2,
  kMacRoman,
  kCp437,
};
inline constexpr size_t kCodePages = 10;

// The 128 characters of the bytes 0x80 to 0xff for every page, page after page.
std::span<const char16_t> code_page_characters();

}  // namespace sgf
