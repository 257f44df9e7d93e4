// The text of `--help`, laid out for a terminal of some width.
#pragma once

#include "apps/help/command_words.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

// How wide lines may be: the terminal's columns, from 50 to 120; 80 where stdout is no terminal.
size_t help_width();

// Words in lines of at most `width` columns, `indent` spaces before each. A longer word stands on a line of its own.
std::string wrapped(std::string_view text, size_t width, size_t indent = 0);

// Paragraphs, wrapped; a line that begins with a space stays as it is.
std::string wrapped_paragraphs(std::string_view text, size_t width);

// "random seed (0 or more; default 1)"
std::string full_help(const ArgumentWords& argument);

// "--seed N", "-h, --help", "VIDEO..."
std::string shown_argument(const ArgumentWords& argument);

// "sgf train [OPTIONS] CONFIG"
std::string usage_of(const CommandWords& command, bool has_commands);

// What `sgf COMMAND --help` prints; `below` are the commands below it.
std::string help_page(const CommandWords& command, const std::vector<CommandWords>& below, size_t width);

}  // namespace sgf
