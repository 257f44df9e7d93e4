// A folder of shards that is made piece by piece, by one worker or many: what they share. Torch-free.
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

// order.json is there from the first moment and says what the shards depend on; manifest.json once all are whole.
std::filesystem::path order_file(const std::filesystem::path& folder);
std::filesystem::path manifest_file(const std::filesystem::path& folder);

// A JSON object whose "format" is that one.
nlohmann::json read_json_file(const std::filesystem::path& path, std::string_view format);

// What `read` makes of it; a key that is missing or of another type is an Error that names the file.
template <class Read>
auto read_json_file(const std::filesystem::path& path, std::string_view format, const Read& read) {
  const nlohmann::json json = read_json_file(path, format);
  try {
    return read(json);
  } catch (const nlohmann::json::exception& error) {
    fail("{}: damaged: {}", path.string(), error.what());
  }
}

// The same, but nothing where there is none, or a damaged one. One that is there and cannot be opened is an Error: it
// may be whole.
std::optional<nlohmann::json> find_json_file(const std::filesystem::path& path, std::string_view format);

// What `read` makes of the mark of a shard; nothing where the shard is to be made again.
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

// Takes the folder for this order: writes it down, or refuses a folder that was begun with another, naming what
// differs. `what` lies in it: "pairs".
void claim_shard_folder(const std::filesystem::path& folder, const nlohmann::json& order, std::string_view what);

}  // namespace sgf
