// Spells values in YAML so that reading gives the same value back, here and in PyYAML.
#pragma once

#include <string>
#include <string_view>

namespace sgf {

// Shortest digits that read back as the same double, always with a point: PyYAML reads 1e-06 as text.
std::string spell_number(double value);

// Plain if every YAML reader takes it as text, else in double quotes on one line.
std::string spell_text(std::string_view text);

}  // namespace sgf
