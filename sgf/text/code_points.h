// Conversion between UTF-8 and code points. Torch-free.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sgf {

inline constexpr char32_t kReplacementCharacter = 0xfffd;

// Each invalid sequence becomes one U+FFFD. Surrogates that were encoded separately are kept for the caller to join.
std::u32string decode_utf8(std::string_view text);

// nullopt if the bytes are invalid. Accepts two encoded surrogates for one character above U+FFFF, as Java and old
// databases write them, and C0 80 for NUL.
std::optional<std::u32string> decode_strict_utf8(std::string_view text);

// Surrogates become U+FFFD, so the result is always valid.
std::string encode_utf8(std::u32string_view text);

// Whitespace according to Python's str.isspace, and so to `\s`.
bool is_space(char32_t c);

// Whether `\w` matches.
bool is_word(char32_t c);

}  // namespace sgf
