// The manual page sgf(1), made from the description that `--help` is made from.
#pragma once

#include "apps/help/command_words.h"

#include <string>
#include <vector>

namespace sgf {

// In troff, for `man`. The first of `commands` is the program itself.
std::string man_page(const std::vector<CommandWords>& commands, const std::string& version);

}  // namespace sgf
