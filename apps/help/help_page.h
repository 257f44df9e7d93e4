// The text of `--help`, laid out for a terminal of some width.
#pragma once

#include "apps/help/command_words.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

// Width of lines in columns: that of the terminal, limited to 50 to 120; 80 if stdout is not a terminal.
size_t help_width();

// Lines of at most `width` columns, each indented by `indent` spaces. A longer word gets its own line.
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
