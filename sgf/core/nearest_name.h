// "Did you mean": the known name nearest to one that is not known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

// Insertions, deletions, substitutions and swaps of neighbours that turn one name into the other, in bytes.
int64_t edit_distance(std::string_view a, std::string_view b);

// The first of the nearest candidates, if no more than a third of the letters differ.
std::optional<std::string> nearest_name(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace sgf
