// How much room a text takes on a terminal. Torch-free.
#pragma once

#include <cstddef>
#include <string_view>

namespace sgf {

// Columns of printable UTF-8: two for the wide characters of East Asia and for emoji, none for marks that combine.
size_t terminal_columns(std::string_view text);

}  // namespace sgf
