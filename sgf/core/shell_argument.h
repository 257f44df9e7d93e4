// Text as one argument of a command that people copy into a shell.
#pragma once

#include <string>
#include <string_view>

namespace sgf {

// As it is if no shell reads anything into it, else in single quotes: it's -> 'it'\''s'.
std::string shell_argument(std::string_view text);

}  // namespace sgf
