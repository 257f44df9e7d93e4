// UTF-8, a character at a time.
#pragma once

#include <cstddef>
#include <string_view>

namespace sgf {

// Bytes of the character that `rest` starts with; 0 where it starts with none: bytes left over or cut short, overlong
// forms, surrogates, anything past U+10FFFF.
size_t utf8_length(std::string_view rest);

// The code point of one whole character.
char32_t code_point_of(std::string_view character);

// At most so many bytes of the text's beginning, cut between characters.
std::string_view cut_utf8(std::string_view text, size_t longest);

}  // namespace sgf
