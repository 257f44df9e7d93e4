// JSON from files that others wrote. nlohmann::json keeps the last of two equal keys without a word and nests
// as deep as it is told; a weight file that does either is damaged or hostile.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace sgf {

struct JsonLimits {
  size_t depth = 0;         // containers within containers
  size_t array_length = 0;  // an array element takes two bytes of text but sixteen of memory
};

// Throws Error, which begins with `source`, on bad syntax, a repeated key or a broken limit.
nlohmann::json parse_strict_json(std::string_view text, const std::string& source, JsonLimits limits);

}  // namespace sgf
