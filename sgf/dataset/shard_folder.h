// A folder of shards that one or more workers fill step by step: the shared parts. Torch-free.
#pragma once

#include "sgf/core/error.h"
#include "sgf/files/json_file.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace sgf {

// order.json exists from the start and says what the shards depend on; manifest.json is written once all are complete.
std::filesystem::path order_file(const std::filesystem::path& folder);
std::filesystem::path manifest_file(const std::filesystem::path& folder);

// Reads a JSON object whose "format" has this value.
nlohmann::json read_json_file(const std::filesystem::path& path, std::string_view format);

// Returns what `read` makes of the object; throws an Error that names the file if a key is missing or has another type.
template <class Read>
auto read_json_file(const std::filesystem::path& path, std::string_view format, const Read& read) {
  const nlohmann::json json = read_json_file(path, format);
  try {
    return read(json);
  } catch (const nlohmann::json::exception& error) {
    fail("{}: damaged: {}", path.string(), error.what());
  }
}

// The same, but nullopt if the file is missing or damaged. Throws Error if it exists and cannot be opened, because it
// may be intact.
std::optional<nlohmann::json> find_json_file(const std::filesystem::path& path, std::string_view format);

// Returns what `read` makes of a shard's mark; nullopt if the shard must be made again.
template <class Read>
auto find_mark(const std::filesystem::path& path, std::string_view format, const Read& read)
    -> std::optional<std::invoke_result_t<Read, const nlohmann::json&>> {
  const std::optional<nlohmann::json> json = find_json_file(path, format);
  if (!json) return std::nullopt;
  try {
    return read(*json);
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

// Claims the folder for this order. Writes the order, or throws an Error with the differences if the folder was started
// with another one. `what` names the content: "pairs".
void claim_shard_folder(const std::filesystem::path& folder, const nlohmann::json& order, std::string_view what);

}  // namespace sgf
