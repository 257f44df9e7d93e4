// Integers from JSON. nlohmann::json converts any number to the type asked for: 1.5 becomes 1, and what 64 bits cannot
// hold is undefined behaviour. A test checks the sources for such conversions.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <vector>

namespace sgf {

// Throws nlohmann's type_error, as its own conversions do, if the value is not an integer of 64 bits.
int64_t integer_of(const nlohmann::json& value);
std::vector<int64_t> integers_of(const nlohmann::json& value);

}  // namespace sgf
