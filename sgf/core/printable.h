// The one way that text from outside (names and contents of files, options, other libraries' messages) is made fit to
// be printed: nothing in it can move a cursor, change a colour or a window's title, begin a line or turn the direction.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sgf {

// Whether a terminal shows the character and does nothing else. Not so: controls, line breaks, marks of direction, and
// what takes no room. The joiners U+200C and U+200D are printable: Persian, Indic scripts and emoji need them.
bool is_printable(char32_t character);

// One line: printable UTF-8 as it is, every other byte as \xNN, "..." where it was cut after `longest` bytes. A
// backslash stays as it is, so that printing the result again changes nothing.
std::string printable(std::string_view text, size_t longest = std::string_view::npos);

// The same, but newlines stay: for text of several lines that is our own.
std::string printable_lines(std::string_view text);

// JSON that reads back as the same value: inside it the characters in question become \uXXXX.
std::string printable_json(std::string_view json);

}  // namespace sgf
