// JSON files: strict about what comes, whole or not at all about what goes.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <optional>

namespace sgf {

// Throws Error, which names the file, where it cannot be read or is not the JSON that strict_json.h takes.
nlohmann::json read_json_file(const std::filesystem::path& path);

// Nothing where the file is missing, or holds something else: for files that are made again then. One that is there and
// cannot be opened is an Error: it may be whole.
std::optional<nlohmann::json> try_read_json_file(const std::filesystem::path& path);

// Indented; bytes that are no UTF-8, as file names may hold, become question marks.
void write_json_file(const std::filesystem::path& path, const nlohmann::json& content);

}  // namespace sgf
