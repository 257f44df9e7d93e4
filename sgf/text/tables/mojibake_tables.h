// Which characters are signs of mojibake, and the code pages that make them. Torch-free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sgf {

// A bit each; a character may be of several.
enum MojibakeClass : uint32_t {
  kCommon = 1u << 0,  // also at home in ordinary text
  kC1 = 1u << 1,      // control characters 0x80 to 0x9f
  kBad = 1u << 2,     // hardly ever meant
  kLaw = 1u << 3,
  kCurrency = 1u << 4,
  kStartPunctuation = 1u << 5,
  kEndPunctuation = 1u << 6,
  kNumeric = 1u << 7,
  kKaomoji = 1u << 8,  // letters that make faces
  kUpperAccented = 1u << 9,
  kLowerAccented = 1u << 10,
  kUpperCommon = 1u << 11,
  kLowerCommon = 1u << 12,
  kBox = 1u << 13,
  kFirstOf2 = 1u << 14,  // what the first byte of two looks like in some code page
  kFirstOf3 = 1u << 15,
  kFirstOf4 = 1u << 16,
  kContinuation = 1u << 17,        // what a later byte looks like, a space for 0xa0 included
  kContinuationStrict = 1u << 18,  // the same without what often stands for itself beside mojibake
};

struct MojibakeRange {
  char32_t first;
  char32_t last;
  uint32_t classes;
};

std::span<const MojibakeRange> mojibake_ranges();  // in order of code points

// In the order in which they are tried. "Sloppy" pages read a byte that the page leaves free as Latin-1 does, and
// write the replacement character U+FFFD as byte 0x1a.
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

// Of every page the 128 characters of the bytes 0x80 to 0xff, page after page.
std::span<const char16_t> code_page_characters();

}  // namespace sgf
