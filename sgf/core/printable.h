// Makes outside text safe to print (names and contents of files, options, messages of other libraries). Nothing in the
// result can move the cursor, change a colour or the window title, start a line or reverse the text direction.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sgf {

// Whether a terminal only shows the character. False for controls, line breaks, direction marks and zero-width
// characters. The joiners U+200C and U+200D are printable: Persian, Indic scripts and emoji need them.
bool is_printable(char32_t character);

// One line: printable UTF-8 is kept, every other byte becomes \xNN, and "..." marks a cut after `longest` bytes.
// Backslashes are kept, so printing the result again changes nothing.
std::string printable(std::string_view text, size_t longest = std::string_view::npos);

// The same, but keeps newlines: for multi-line text written by sgf itself.
std::string printable_lines(std::string_view text);

// JSON that parses to the same value: unprintable characters become \uXXXX.
std::string printable_json(std::string_view json);

}  // namespace sgf
