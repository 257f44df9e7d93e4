// UTF-8, one character at a time.
#pragma once

#include <cstddef>
#include <string_view>

namespace sgf {

// Length in bytes of the character at the start of `rest`. 0 if there is no valid character: stray or missing bytes,
// overlong forms, surrogates, anything past U+10FFFF.
size_t utf8_length(std::string_view rest);

// The code point of one whole character.
char32_t code_point_of(std::string_view character);

// At most this many bytes from the beginning of the text, cut at a character boundary.
std::string_view cut_utf8(std::string_view text, size_t longest);

// "UTF-16", "UTF-16LE", "UTF-16BE" or "UTF-32", as iconv names it, if a text begins like one; else empty. A text in
// UTF-8 begins like none of them.
std::string_view foreign_encoding(std::string_view text);

}  // namespace sgf
