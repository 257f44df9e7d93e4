#include "sgf/text/mojibake.h"

#include "sgf/text/code_points.h"
#include "sgf/text/mojibake_signs.h"
#include "sgf/text/tables/mojibake_tables.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <unordered_map>
#include <vector>

namespace sgf {
namespace {

constexpr char kLostByte = 0x1a;

bool is_sloppy(CodePage page) { return page >= CodePage::kSloppy1252 && page <= CodePage::kSloppy1257; }

using PageBytes = std::array<std::unordered_map<char32_t, char>, kCodePages>;

const PageBytes& page_bytes() {
  static const PageBytes pages = [] {
    PageBytes made;
    for (size_t page = 0; page < kCodePages; ++page) {
      for (size_t i = 0; i < 128; ++i) {
        made[page][code_page_characters()[page * 128 + i]] = static_cast<char>(0x80 + i);
      }
    }
    return made;
  }();
  return pages;
}

// The bytes that this code page decodes to this text; nullopt if a character is not in the page.
std::optional<std::string> bytes_in(std::u32string_view text, CodePage page) {
  const auto& upper = page_bytes()[static_cast<size_t>(page)];
  std::string bytes;
  for (const char32_t c : text) {
    const bool stands_for_lost = is_sloppy(page) && c == kReplacementCharacter;
    const bool is_plain = c < 0x80 && !(is_sloppy(page) && c == static_cast<char32_t>(kLostByte));
    const auto found = is_plain || stands_for_lost ? upper.end() : upper.find(c);
    if (!is_plain && !stands_for_lost && found == upper.end()) return std::nullopt;
    bytes.push_back(stands_for_lost ? kLostByte : is_plain ? static_cast<char>(c) : found->second);
  }
  return bytes;
}

struct ByteRange {
  uint8_t first;
  uint8_t last;
};

using ByteSet = std::vector<ByteRange>;  // any of these ranges
using ByteSequence = std::vector<ByteSet>;

ByteSet byte(uint8_t only) { return {{only, only}}; }

bool holds(const ByteSet& set, char c) {
  const auto value = static_cast<uint8_t>(c);
  return std::ranges::any_of(set, [&](ByteRange range) { return range.first <= value && value <= range.last; });
}

bool begins_with(std::string_view bytes, const ByteSequence& sequence) {
  if (bytes.size() < sequence.size()) return false;
  for (size_t i = 0; i < sequence.size(); ++i) {
    if (!holds(sequence[i], bytes[i])) return false;
  }
  return true;
}

// Passes each stretch that matches one of the sequences, the first match winning, through `change`.
template <class Change>
std::string replace_sequences(std::string_view bytes, const std::vector<ByteSequence>& sequences,
                              const Change& change) {
  std::string out;
  for (size_t at = 0; at < bytes.size();) {
    const auto found = std::ranges::find_if(
        sequences, [&](const ByteSequence& sequence) { return begins_with(bytes.substr(at), sequence); });
    const size_t length = found == sequences.end() ? 1 : found->size();
    const std::string_view piece = bytes.substr(at, length);
    out += found == sequences.end() ? std::string(piece) : change(piece);
    at += length;
  }
  return out;
}

// UTF-8 in which 0xa0, a no-break space in most pages, became a plain space. Only where the character is likely.
const std::vector<ByteSequence>& sequences_with_space() {
  static const ByteSet space = byte(' '), tail{{0x80, 0xbf}}, likely{{0x80, 0x84}, {0x86, 0x9f}, {0xa1, 0xbf}};
  static const std::vector<ByteSequence> sequences{
      {{{0xc2, 0xc3}, {0xc5, 0xc5}, {0xce, 0xce}, {0xd0, 0xd0}, {0xd9, 0xd9}}, space},
      {{{0xe2, 0xe3}}, space, likely},
      {{{0xe0, 0xe3}}, likely, space},
      {byte(0xf0), space, tail, tail},
      {byte(0xf0), tail, space, tail},
      {byte(0xf0), tail, tail, space},
  };
  return sequences;
}

// "Ã la" is "à la", whose no-break space was merged with the following space; but "Ãs" is "às".
std::string restore_a_grave(std::string_view bytes) {
  constexpr std::array<std::string_view, 5> kPortuguese{" ", "quele", "quela", "quilo", "s "};
  std::string out;
  for (size_t at = 0; at < bytes.size();) {
    const std::string_view rest = bytes.substr(std::min(at + 2, bytes.size()));
    const bool is_word = bytes.substr(at).starts_with("\xc3 ") &&
                         std::ranges::none_of(kPortuguese, [&](auto word) { return rest.starts_with(word); });
    out += is_word ? "\xc3\xa0 " : std::string(1, bytes[at]);
    at += is_word ? 2 : 1;
  }
  return out;
}

std::string restore_no_break_spaces(std::string bytes) {
  const auto restored = [](std::string_view piece) {
    std::string out(piece);
    std::ranges::replace(out, ' ', '\xa0');
    return out;
  };
  const auto is_there = [&](size_t at) {
    return std::ranges::any_of(sequences_with_space(), [&](const ByteSequence& sequence) {
      return begins_with(std::string_view(bytes).substr(at), sequence);
    });
  };
  for (size_t at = 0; at < bytes.size(); ++at) {
    if (is_there(at)) return replace_sequences(restore_a_grave(bytes), sequences_with_space(), restored);
  }
  return bytes;
}

// UTF-8 of which one byte became U+FFFD or a question mark.
const std::vector<ByteSequence>& lossy_sequences() {
  static const ByteSet lost = byte(0x1a), asked{{0x1a, 0x1a}, {'?', '?'}};
  static const ByteSet tail{{0x1a, 0x1a}, {0x80, 0xbf}}, any{{0x1a, 0x1a}, {'?', '?'}, {0x80, 0xbf}};
  static const ByteSet three{{0xe0, 0xef}}, four{{0xf0, 0xf4}}, high{{0xa0, 0xaf}}, low{{0xb0, 0xbf}};
  static const std::vector<ByteSequence> sequences{
      {{{0xc2, 0xdf}}, lost},
      {{{0xc2, 0xc3}}, byte('?')},
      {byte(0xed), high, asked, byte(0xed), low, any},
      {byte(0xed), high, any, byte(0xed), low, asked},
      {three, asked, tail},
      {three, tail, asked},
      {four, asked, tail, tail},
      {four, tail, asked, tail},
      {four, tail, tail, asked},
      {lost},
  };
  return sequences;
}

std::string replace_lossy(const std::string& bytes) {
  return replace_sequences(bytes, lossy_sequences(), [](std::string_view) { return std::string("\xef\xbf\xbd"); });
}

std::optional<std::u32string> reread(std::u32string_view text, CodePage page) {
  std::optional<std::string> bytes = bytes_in(text, page);
  if (!bytes) return std::nullopt;
  // In MacRoman a dash with a space after it looks the same.
  if (page != CodePage::kMacRoman) bytes = restore_no_break_spaces(std::move(*bytes));
  if (is_sloppy(page)) bytes = replace_lossy(*bytes);
  return decode_strict_utf8(*bytes);
}

// How many characters from `at` on look like one UTF-8 sequence; 0 if none do.
size_t encoded_length(std::u32string_view text, size_t at) {
  constexpr std::array<uint32_t, 3> kFirst{kFirstOf2, kFirstOf3, kFirstOf4};
  for (size_t tails = 1; tails <= kFirst.size(); ++tails) {
    if ((mojibake_classes(text[at]) & kFirst[tails - 1]) == 0 || at + tails >= text.size()) continue;
    const std::u32string_view rest = text.substr(at + 1, tails);
    if (std::ranges::all_of(rest, [](char32_t c) { return (mojibake_classes(c) & kContinuation) != 0; })) {
      return tails + 1;
    }
  }
  return 0;
}

// The end of the run of such characters that begins at `at`, or `at`. A run never begins inside a sequence.
size_t encoded_run_end(std::u32string_view text, size_t at) {
  if (at > 0 && (mojibake_classes(text[at - 1]) & kContinuationStrict) != 0) return at;
  size_t end = at;
  while (end < text.size()) {
    const size_t length = encoded_length(text, end);
    if (length == 0) break;
    end += length;
  }
  return end;
}

// Repairs stretches separately if the whole text cannot be decoded again.
std::u32string mend_parts(std::u32string_view text) {
  std::u32string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = encoded_run_end(text, at);
    const std::u32string_view run = text.substr(at, end - at);
    if (run.empty()) {
      out.push_back(text[at++]);
      continue;
    }
    const bool is_part = run.size() < text.size() && looks_like_mojibake(run);
    out += is_part ? mend_mojibake(std::u32string(run)) : std::u32string(run);
    at = end;
  }
  return out;
}

bool is_c1(char32_t c) { return c >= 0x80 && c <= 0x9f; }

std::u32string mend_once(const std::u32string& text) {
  const bool is_ascii = std::ranges::all_of(text, [](char32_t c) { return c < 0x80; });
  if (is_ascii || !looks_like_mojibake(text)) return text;
  for (size_t page = 0; page < kCodePages; ++page) {
    if (std::optional<std::u32string> mended = reread(text, static_cast<CodePage>(page))) return *mended;
  }
  std::u32string mended = mend_parts(text);
  return mended != text ? mended : read_c1_as_1252(std::move(mended));
}

}  // namespace

std::u32string read_c1_as_1252(std::u32string text) {
  const size_t page = static_cast<size_t>(CodePage::kSloppy1252) * 128;
  for (char32_t& c : text) {
    if (is_c1(c)) c = code_page_characters()[page + c - 0x80];
  }
  return text;
}

std::u32string mend_mojibake(std::u32string text) {
  for (;;) {
    std::u32string mended = mend_once(text);
    if (mended == text) return mended;
    text = std::move(mended);
  }
}

}  // namespace sgf
