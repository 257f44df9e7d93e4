#include "sgf/text/prompt_cleaning.h"

#include "sgf/text/code_points.h"
#include "sgf/text/html_unescape.h"
#include "sgf/text/mojibake.h"
#include "sgf/text/nfc.h"
#include "sgf/text/tables/unicode_tables.h"

#include <algorithm>

namespace sgf {
namespace {

constexpr size_t kLongestSegment = 1'000'000;  // characters; ftfy repairs longer lines in pieces

void replace_by(std::u32string& text, std::span<const Replacement> table) {
  const auto find = [&](char32_t c) { return std::ranges::lower_bound(table, c, {}, &Replacement::from); };
  const auto is_in = [&](char32_t c) { return find(c) != table.end() && find(c)->from == c; };
  if (std::ranges::none_of(text, is_in)) return;
  std::u32string out;
  for (const char32_t c : text) is_in(c) ? out += find(c)->to : out += c;
  text = std::move(out);
}

void straighten_quotes(std::u32string& text) {
  for (char32_t& c : text) {
    if (c == 0x2bc || (c >= 0x2018 && c <= 0x201b)) c = '\'';
    if (c >= 0x201c && c <= 0x201f) c = '"';
  }
}

// Line breaks of Windows, old Macs and Unicode.
void unify_line_breaks(std::u32string& text) {
  std::u32string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char32_t c = text[i];
    if (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    out.push_back(c == '\r' || c == 0x2028 || c == 0x2029 || c == 0x85 ? U'\n' : c);
  }
  text = std::move(out);
}

// Surrogate pairs become the character they stand for, other surrogates U+FFFD.
void join_surrogates(std::u32string& text) {
  std::u32string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char32_t c = text[i], next = i + 1 < text.size() ? text[i + 1] : 0;
    const bool is_high = c >= 0xd800 && c <= 0xdbff, is_low = c >= 0xdc00 && c <= 0xdfff;
    if (is_high && next >= 0xdc00 && next <= 0xdfff) {
      out.push_back(0x10000 + ((c - 0xd800) << 10) + (next - 0xdc00));
      ++i;
    } else {
      out.push_back(is_high || is_low ? kReplacementCharacter : c);
    }
  }
  text = std::move(out);
}

// The length of "ESC [ digits and semicolons, a letter" at the text's beginning, or 0.
size_t escape_length(std::u32string_view text) {
  if (!text.starts_with(U"\x1b[")) return 0;
  const size_t end = text.find_first_not_of(U"0123456789;", 2);
  if (end == std::u32string_view::npos) return 0;
  const char32_t letter = text[end] | 0x20;
  return letter >= 'a' && letter <= 'z' && text[end] < 0x80 ? end + 1 : 0;
}

void remove_terminal_escapes(std::u32string& text) {
  std::u32string out;
  for (size_t at = 0; at < text.size();) {
    const size_t length = escape_length(std::u32string_view(text).substr(at));
    if (length == 0) out.push_back(text[at]);
    at += std::max<size_t>(length, 1);
  }
  text = std::move(out);
}

// Invisible controls: ASCII except white space, deprecated Arabic ones, annotations, byte-order marks.
bool is_control(char32_t c) {
  return c <= 0x08 || c == 0x0b || (c >= 0x0e && c <= 0x1f) || c == 0x7f || (c >= 0x206a && c <= 0x206f) ||
         c == 0xfeff || (c >= 0xfff9 && c <= 0xfffc);
}

std::u32string fix_once(std::u32string text, bool unescape) {
  if (unescape) text = unescape_whole_entities(text);
  text = read_c1_as_1252(mend_mojibake(std::move(text)));
  replace_by(text, latin_ligatures());
  replace_by(text, width_forms());
  straighten_quotes(text);
  unify_line_breaks(text);
  join_surrogates(text);
  remove_terminal_escapes(text);
  std::erase_if(text, is_control);
  return to_nfc(text);
}

// One fix may reveal the need for another: repeats until nothing changes.
std::u32string fix_segment(std::u32string text, bool unescape) {
  for (;;) {
    std::u32string fixed = fix_once(text, unescape);
    if (fixed == text) return fixed;
    text = std::move(fixed);
  }
}

// Line by line. A "<" marks the text as HTML; from there on escapes are kept.
std::u32string fix_lines(std::u32string_view text) {
  std::u32string out;
  bool unescape = true;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const size_t length = std::min(end == std::u32string_view::npos ? text.size() : end + 1, kLongestSegment);
    const std::u32string_view segment = text.substr(0, length);
    unescape = unescape && segment.find('<') == std::u32string_view::npos;
    out += fix_segment(std::u32string(segment), unescape);
    text.remove_prefix(length);
  }
  return out;
}

std::u32string collapse_space(std::u32string_view text) {
  std::u32string out;
  for (const char32_t c : text) {
    if (!is_space(c)) out.push_back(c);
    if (is_space(c) && !out.empty() && out.back() != ' ') out.push_back(' ');
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

}  // namespace

std::string fix_text(std::string_view text) { return encode_utf8(fix_lines(decode_utf8(text))); }

std::string clean_prompt(std::string_view prompt) {
  return encode_utf8(collapse_space(unescape_html(unescape_html(fix_lines(decode_utf8(prompt))))));
}

bool has_words(std::string_view prompt) {
  const auto is_visible = [](char32_t c) {
    return c != U' ' && c != 0xAD && c != 0xFEFF && !(c >= 0x200B && c <= 0x200F) && !(c >= 0x2060 && c <= 0x2064);
  };
  return std::ranges::any_of(decode_utf8(clean_prompt(prompt)), is_visible);
}

}  // namespace sgf
