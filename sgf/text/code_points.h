// Text as code points, and back. Torch-free.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sgf {

inline constexpr char32_t kReplacementCharacter = 0xfffd;

// Whatever is no UTF-8 becomes U+FFFD, a sequence at a time; surrogates that were encoded one by one come through, for
// whoever joins them.
std::u32string decode_utf8(std::string_view text);

// Nothing where a byte is out of place. Two encoded surrogates for one character above U+FFFF, as Java and old
// databases write it, and C0 80 for NUL are in place.
std::optional<std::u32string> decode_strict_utf8(std::string_view text);

// Surrogates become U+FFFD: the result is always valid.
std::string encode_utf8(std::u32string_view text);

// What Python's str.isspace, and so `\s`, calls space.
bool is_space(char32_t c);

// What `\w` matches.
bool is_word(char32_t c);

}  // namespace sgf
