// Facts of Unicode that prompt cleaning needs, as tables in the order of their code points. Torch-free.
#pragma once

#include <span>
#include <string_view>

namespace sgf {

// A letter and what it is made of, canonically; `second` is 0 where it is another name for one letter.
struct Decomposition {
  char32_t letter;
  char32_t first;
  char32_t second;
};

// Marks that stand over or under a letter, with their canonical combining class.
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

std::span<const Decomposition> composed_letters();    // NFC joins these again
std::span<const Decomposition> letters_kept_apart();  // NFC takes these apart and leaves them so
std::span<const CombiningRange> combining_ranges();
std::span<const Replacement> width_forms();      // full-width and half-width forms -> the usual letters
std::span<const Replacement> latin_ligatures();  // the letters within
std::span<const CodePointRange> word_ranges();   // letters, digits and the underscore

}  // namespace sgf
