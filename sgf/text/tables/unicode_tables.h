// Unicode data for prompt cleaning, as tables sorted by code point. Torch-free.
#pragma once

#include <span>
#include <string_view>

namespace sgf {

// A letter and its canonical decomposition; `second` is 0 if it is another name for one letter.
struct Decomposition {
  char32_t letter;
  char32_t first;
  char32_t second;
};

// Marks over or under a letter, with their canonical combining class.
struct CombiningRange {
  char32_t first;
  char32_t last;
  int combining_class;
};

struct Replacement {
  char32_t from;
  std::u32string_view to;
};

struct CodePointRange {
  char32_t first;
  char32_t last;
};

std::span<const Decomposition> composed_letters();    // NFC composes these again
std::span<const Decomposition> letters_kept_apart();  // NFC decomposes these and keeps them so
std::span<const CombiningRange> combining_ranges();
std::span<const Replacement> width_forms();      // full-width and half-width forms -> the usual letters
std::span<const Replacement> latin_ligatures();  // the letters that they contain
std::span<const CodePointRange> word_ranges();   // letters, digits and the underscore

}  // namespace sgf
