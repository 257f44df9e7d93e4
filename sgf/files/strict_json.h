// JSON from files that others wrote. nlohmann::json silently keeps the last of two equal keys, and nests without limit,
// so that copying or printing a value overflows the stack. A file that does either is damaged or hostile. No other file
// of the library or the program parses JSON; a test checks the sources for that.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sgf {

// Limits of a document. The defaults are far above sgf's own files: study arms nest 7 deep, and the longest arrays are
// lists of captions.
struct JsonLimits {
  size_t depth = 32;                 // containers within containers
  size_t array_length = 10'000'000;  // an array element takes two bytes of text but sixteen of memory
};

// Throws an Error that starts with `source` on bad syntax, a repeated key or an exceeded limit.
nlohmann::json parse_strict_json(std::string_view text, const std::string& source, JsonLimits limits = {});

// The same, but keeps the order of the keys.
nlohmann::ordered_json parse_strict_ordered_json(std::string_view text, const std::string& source,
                                                 JsonLimits limits = {});

// What nlohmann::json says, without its own tag "[json.exception.type_error.302]".
std::string json_complaint(const std::string& what);

// Returns nullopt if parse_strict_json would throw: for notes that another program may have written.
std::optional<nlohmann::json> try_parse_json(std::string_view text, JsonLimits limits = {});

}  // namespace sgf
