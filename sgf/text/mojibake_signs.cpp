#include "sgf/text/mojibake_signs.h"

#include "sgf/text/code_points.h"
#include "sgf/text/tables/mojibake_tables.h"

#include <algorithm>
#include <vector>

namespace sgf {
namespace {

// In addition to the classes of the table, a few that are faster to compute than to list.
constexpr uint32_t kLatinLower = 1u << 20;
constexpr uint32_t kLatinUpper = 1u << 21;
constexpr uint32_t kSpace = 1u << 22;
constexpr uint32_t kWord = 1u << 23;
constexpr uint32_t kNoLatin = 1u << 24;    // any character except a plain Latin letter
constexpr uint32_t kNoNewline = 1u << 25;  // any character except a line break
constexpr uint32_t kLatin = kLatinLower | kLatinUpper;
constexpr uint32_t kAccented = kLowerAccented | kUpperAccented;
constexpr uint32_t kPunctuation = kStartPunctuation | kEndPunctuation;

// One position of a sign: matches a character of one of these classes, or one of these characters.
struct Place {
  uint32_t classes = 0;
  std::u32string_view others = {};
};

using Sign = std::vector<Place>;

// Unlikely combinations of classes.
const std::vector<Sign>& signs_of_classes() {
  static const std::vector<Sign> signs{
      {{kC1}},
      {{kBad | kAccented | kBox | kPunctuation | kCurrency | kNumeric | kLaw}, {kBad}},
      {{kLatin}, {kLowerCommon | kUpperCommon}, {kBad}},
      {{kBad}, {kAccented | kBox | kPunctuation | kCurrency | kNumeric | kLaw}},
      {{kLowerAccented | kLowerCommon | kBox | kEndPunctuation | kCurrency | kNumeric}, {kUpperAccented}},
      {{kBox | kEndPunctuation | kCurrency | kNumeric}, {kLowerAccented}},
      {{kLowerAccented | kBox | kEndPunctuation}, {kCurrency}},
      {{kSpace}, {kUpperAccented}, {kCurrency}},
      {{kUpperAccented | kBox}, {kNumeric | kLaw}},
      {{kAccented | kBox | kCurrency | kEndPunctuation}, {kStartPunctuation}, {kNumeric}},
      {{kAccented | kCurrency | kNumeric | kBox | kLaw}, {kEndPunctuation}, {kStartPunctuation}},
      {{kCurrency | kNumeric | kBox}, {kStartPunctuation}},
      {{kLatinLower}, {kUpperAccented}, {kStartPunctuation | kCurrency}},
      {{kBox}, {kKaomoji}},
      {{kAccented | kCurrency | kNumeric | kPunctuation | kLaw}, {kBox}},
      {{kBox}, {kEndPunctuation}},
      {{kAccented}, {kPunctuation}, {kWord}},
      {{0, U"Œœ"}, {kNoLatin}},
      {{kUpperAccented}, {0, U"°"}},
  };
  return signs;
}

// Frequent results of one code page or another.
const std::vector<Sign>& signs_of_pages() {
  constexpr uint32_t kArabic = kCommon | kCurrency | kBad | kNumeric | kStartPunctuation;
  constexpr std::u32string_view kArabicLeads = U"ØÙ", kArabicTails = U"ŸŠ®°µ»";
  constexpr uint32_t kOdd = kC1 | kBad | kPunctuation | kCurrency;
  static const std::vector<Sign> signs{
      // Windows-1252
      {{0, U"ÂÃÎÐ"}, {kPunctuation, U"€œŠš¢£Ÿž\u00a0\u00ad®©°·»–—´"}},
      {{0, U"×"}, {0, U"²³"}},
      {{0, kArabicLeads}, {kArabic, kArabicTails}, {0, kArabicLeads}, {kArabic, kArabicTails}},
      {{0, U"à"}, {0, U"²µ¹¼½¾"}},
      {{0, U"Ã"}, {0, U"\u00a0¡"}},
      {{kLatinLower}, {0, U"ÃÂ"}, {0, U" "}},
      {{kLatinLower}, {kSpace}, {0, U"ÃÂ"}, {0, U" "}},
      {{kLatinLower | kEndPunctuation, U".,?!"}, {0, U"Â"}, {kPunctuation, U" "}},
      // MacRoman
      {{0, U"√"}, {0, U"±∂†≠®™´≤≥¥µø"}},
      {{0, U"≈"}, {0, U"°¢"}},
      {{0, U"‚"}, {0, U"Ä"}, {0, U"ìîïòôúùû†°¢π"}},
      {{0, U"‚"}, {0, U"âó"}, {0, U"àä°ê"}},
      // Windows-1251
      {{0, U"в"}, {0, U"Ђ"}},
      {{0, U"ВГРС"}, {kOdd, U"°µ"}, {0, U"ВГРС"}},
      {{0, U"Г"}, {0, U"ў"}, {0, U"В"}, {0, U"Ђ"}, {0, U"В"}, {kNoNewline}, {kLatin, U" "}},
      // Windows-1253 and -1257
      {{0, U"β"}, {0, U"€"}, {0, U"™\u00a0Ά\u00ad®°"}},
      {{0, U"ΒΓΞΟ"}, {kOdd, U"°"}, {0, U"ΒΓΞΟ"}},
      {{0, U"ā"}, {0, U"€"}},
  };
  return signs;
}

uint32_t all_classes(char32_t c) {
  const bool is_lower = c >= 'a' && c <= 'z', is_upper = c >= 'A' && c <= 'Z';
  uint32_t classes = mojibake_classes(c);
  if (is_lower) classes |= kLatinLower;
  if (is_upper) classes |= kLatinUpper;
  if (!is_lower && !is_upper) classes |= kNoLatin;
  if (is_space(c)) classes |= kSpace;
  if (is_word(c)) classes |= kWord;
  if (c != '\n') classes |= kNoNewline;
  return classes;
}

bool stands_at(const Sign& sign, std::u32string_view text, const std::vector<uint32_t>& classes, size_t at) {
  if (at + sign.size() > text.size()) return false;
  for (size_t i = 0; i < sign.size(); ++i) {
    const bool is_of_class = (classes[at + i] & sign[i].classes) != 0;
    if (!is_of_class && sign[i].others.find(text[at + i]) == std::u32string_view::npos) return false;
  }
  return true;
}

uint32_t find_classes(char32_t c) {
  const std::span<const MojibakeRange> ranges = mojibake_ranges();
  const auto after = std::ranges::upper_bound(ranges, c, {}, &MojibakeRange::first);
  return after != ranges.begin() && c <= (after - 1)->last ? (after - 1)->classes : 0;
}

// A table for the first plane, because each character of a prompt is looked up many times.
const std::vector<uint32_t>& classes_of_first_plane() {
  static const std::vector<uint32_t> all = [] {
    std::vector<uint32_t> found(0x10000);
    for (size_t c = 0; c < found.size(); ++c) found[c] = find_classes(static_cast<char32_t>(c));
    return found;
  }();
  return all;
}

}  // namespace

uint32_t mojibake_classes(char32_t c) {
  const std::vector<uint32_t>& table = classes_of_first_plane();
  return c < table.size() ? table[c] : find_classes(c);
}

bool looks_like_mojibake(std::u32string_view text) {
  if (text.starts_with(U"Ã ") || text.starts_with(U"Â ")) return true;
  std::vector<uint32_t> classes(text.size());
  std::ranges::transform(text, classes.begin(), all_classes);
  for (size_t at = 0; at < text.size(); ++at) {
    const auto stands_here = [&](const Sign& sign) { return stands_at(sign, text, classes, at); };
    if (std::ranges::any_of(signs_of_classes(), stands_here)) return true;
    if (std::ranges::any_of(signs_of_pages(), stands_here)) return true;
  }
  return false;
}

}  // namespace sgf
