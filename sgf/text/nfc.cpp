#include "sgf/text/nfc.h"

#include "sgf/text/tables/unicode_tables.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace sgf {
namespace {

// Hangul syllables are composed by arithmetic (Unicode, section 3.12).
constexpr char32_t kSyllables = 0xac00, kLeads = 0x1100, kVowels = 0x1161, kTails = 0x11a7;
constexpr char32_t kLeadCount = 19, kVowelCount = 21, kTailCount = 28;
constexpr char32_t kSyllableCount = kLeadCount * kVowelCount * kTailCount;

const Decomposition* find_decomposition(std::span<const Decomposition> table, char32_t c) {
  const auto found = std::ranges::lower_bound(table, c, {}, &Decomposition::letter);
  return found != table.end() && found->letter == c ? &*found : nullptr;
}

int combining_class(char32_t c) {
  const std::span<const CombiningRange> ranges = combining_ranges();
  const auto after = std::ranges::upper_bound(ranges, c, {}, &CombiningRange::first);
  return after != ranges.begin() && c <= (after - 1)->last ? (after - 1)->combining_class : 0;
}

void take_apart(std::u32string& out, char32_t c) {
  if (c - kSyllables < kSyllableCount) {
    const char32_t index = c - kSyllables, tail = index % kTailCount;
    out.push_back(kLeads + index / (kVowelCount * kTailCount));
    out.push_back(kVowels + index / kTailCount % kVowelCount);
    if (tail > 0) out.push_back(kTails + tail);
    return;
  }
  const Decomposition* parts = find_decomposition(composed_letters(), c);
  if (parts == nullptr) parts = find_decomposition(letters_kept_apart(), c);
  if (parts == nullptr) return out.push_back(c);
  take_apart(out, parts->first);
  if (parts->second != 0) take_apart(out, parts->second);
}

// Sorts each run of marks after a letter by class; equal classes keep their order.
void order_marks(std::u32string& text) {
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin;
    while (end < text.size() && combining_class(text[end]) != 0) ++end;
    std::stable_sort(text.begin() + static_cast<int64_t>(begin), text.begin() + static_cast<int64_t>(end),
                     [](char32_t a, char32_t b) { return combining_class(a) < combining_class(b); });
    begin = end + 1;
  }
}

using Pairs = std::unordered_map<uint64_t, char32_t>;

uint64_t pair_key(char32_t first, char32_t second) { return (uint64_t{first} << 32) | second; }

const Pairs& composed_pairs() {
  static const Pairs pairs = [] {
    Pairs made;
    for (const Decomposition& d : composed_letters()) made[pair_key(d.first, d.second)] = d.letter;
    return made;
  }();
  return pairs;
}

// Returns 0 if the two do not compose.
char32_t join(char32_t first, char32_t second) {
  if (first - kLeads < kLeadCount && second - kVowels < kVowelCount) {
    return kSyllables + ((first - kLeads) * kVowelCount + (second - kVowels)) * kTailCount;
  }
  const bool is_open = first - kSyllables < kSyllableCount && (first - kSyllables) % kTailCount == 0;
  if (is_open && second > kTails && second < kTails + kTailCount) return first + (second - kTails);
  const auto found = composed_pairs().find(pair_key(first, second));
  return found == composed_pairs().end() ? 0 : found->second;
}

// A mark composes with the last letter unless a mark of the same class, or another letter, is between them.
std::u32string join_all(std::u32string_view text) {
  std::u32string out;
  size_t letter = std::u32string::npos;  // position of the last letter in `out`
  int before = 0;                        // class of the last mark kept since
  for (const char32_t c : text) {
    const int own = combining_class(c);
    const bool is_next = letter + 1 == out.size();
    if (letter != std::u32string::npos && (is_next || (before != 0 && before < own))) {
      const char32_t joined = join(out[letter], c);
      if (joined != 0) {
        out[letter] = joined;
        continue;
      }
    }
    if (own == 0) letter = out.size();
    before = own;
    out.push_back(c);
  }
  return out;
}

}  // namespace

std::u32string to_nfc(std::u32string_view text) {
  if (std::ranges::all_of(text, [](char32_t c) { return c < 0x300; })) return std::u32string(text);
  std::u32string apart;
  for (const char32_t c : text) take_apart(apart, c);
  order_marks(apart);
  return join_all(apart);
}

}  // namespace sgf
