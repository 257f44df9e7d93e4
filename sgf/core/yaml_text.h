// How values are spelled in the YAML we write, so that reading it gives the same value back, here and in PyYAML.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sgf {

// Bytes of the UTF-8 character that `rest` starts with; 0 where it starts with none.
size_t utf8_length(std::string_view rest);

// Shortest digits that read back as the same double, always with a point: PyYAML takes 1e-06 for text.
std::string spell_number(double value);

// Plain where every YAML reader agrees that it is text, else in double quotes on one line.
std::string spell_text(std::string_view text);

// For messages: 'text' with controls escaped and the middle of a novel left out.
std::string quote_for_message(std::string_view text);

}  // namespace sgf
