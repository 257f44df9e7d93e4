// JSON files: strict about what comes, whole or not at all about what goes.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <filesystem>

namespace sgf {

nlohmann::json read_json_file(const std::filesystem::path& path);

// Indented; bytes that are no UTF-8, as file names may hold, become question marks.
void write_json_file(const std::filesystem::path& path, const nlohmann::json& content);

}  // namespace sgf
