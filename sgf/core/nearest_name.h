// "Did you mean": the known name nearest to an unknown one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

// Number of insertions, deletions, substitutions and swaps of neighbouring bytes that turn one name into the other.
int64_t edit_distance(std::string_view a, std::string_view b);

// The first of the nearest candidates, if at most a third of the letters differ.
std::optional<std::string> nearest_name(std::string_view name, const std::vector<std::string>& candidates);

// The end of an error about an unknown name: "; did you mean tiny?", else the known ones: "; expected one of tiny,
// world-small". Empty if none is known.
std::string hint_of_names(std::string_view name, const std::vector<std::string>& known);

}  // namespace sgf
