// How values are spelled in the YAML we write, so that reading it gives the same value back, here and in PyYAML.
#pragma once

#include <string>
#include <string_view>

namespace sgf {

// Shortest digits that read back as the same double, always with a point: PyYAML takes 1e-06 for text.
std::string spell_number(double value);

// Plain where every YAML reader agrees that it is text, else in double quotes on one line.
std::string spell_text(std::string_view text);

}  // namespace sgf
