// JSON files: strict when reading, atomic when writing.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <optional>

namespace sgf {

// Throws an Error that names the file if it cannot be read or strict_json.h refuses its content.
nlohmann::json read_json_file(const std::filesystem::path& path);

// Returns nullopt if the file is missing or holds something else: for files that can be rebuilt. Throws Error if it
// exists and cannot be opened, because it may be intact.
std::optional<nlohmann::json> try_read_json_file(const std::filesystem::path& path);

// Indented. Bytes that are not UTF-8, as file names may hold, become question marks.
void write_json_file(const std::filesystem::path& path, const nlohmann::json& content);

}  // namespace sgf
