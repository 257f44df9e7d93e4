// JSON from files that others wrote. nlohmann::json keeps the last of two equal keys without a word and nests as deep
// as it is told, so that copying or printing a value overflows the stack: a file that does either is damaged or
// hostile. No other file of the library or the program parses JSON; a test reads the sources for that.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sgf {

// What a document may hold. The defaults are far above what any file of ours has: arms of a study nest 7 deep, and the
// longest arrays are lists of captions.
struct JsonLimits {
  size_t depth = 32;                 // containers within containers
  size_t array_length = 10'000'000;  // an array element takes two bytes of text but sixteen of memory
};

// Throws Error, which begins with `source`, on bad syntax, a repeated key or a broken limit.
nlohmann::json parse_strict_json(std::string_view text, const std::string& source, JsonLimits limits = {});

// The same, with keys in the order of the text.
nlohmann::ordered_json parse_strict_ordered_json(std::string_view text, const std::string& source,
                                                 JsonLimits limits = {});

// Nothing where parse_strict_json refuses: for notes that may as well be somebody else's.
std::optional<nlohmann::json> try_parse_json(std::string_view text, JsonLimits limits = {});

}  // namespace sgf
