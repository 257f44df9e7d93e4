#include "sgf/dataset/shard_folder.h"

#include "sgf/files/writable_folder.h"

#include <algorithm>
#include <utility>

namespace sgf {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Empty, except for an order that another worker may be writing.
bool is_free(const fs::path& folder) {
  const auto is_order = [](const fs::directory_entry& entry) {
    return entry.path().filename().string().find("order.json") != std::string::npos;
  };
  return std::all_of(fs::directory_iterator(folder), fs::directory_iterator(), is_order);
}

}  // namespace

fs::path order_file(const fs::path& folder) { return folder / "order.json"; }
fs::path manifest_file(const fs::path& folder) { return folder / "manifest.json"; }

Json read_json_file(const fs::path& path, std::string_view format) {
  Json json = read_json_file(path);
  SGF_CHECK(json.is_object(), "{}: is not a JSON object", path.string());
  const Json found = json.value("format", Json());
  SGF_CHECK(found == format, "{}: has format {}, expected '{}'", path.string(), found.dump(), format);
  return json;
}

std::optional<Json> find_json_file(const fs::path& path, std::string_view format) {
  try {
    std::optional<Json> json = try_read_json_file(path);
    const bool is_it = json && json->is_object() && json->value("format", Json()) == format;
    return is_it ? std::move(json) : std::nullopt;
  } catch (const Error&) {
    if (!fs::exists(path)) return std::nullopt;  // another worker has removed it meanwhile
    throw;
  }
}

void claim_shard_folder(const fs::path& folder, const Json& order, std::string_view what) {
  SGF_CHECK(!fs::exists(folder) || fs::is_directory(folder), "{}: is a file, but the {} need a folder", folder.string(),
            what);
  create_folder(folder);
  const fs::path path = order_file(folder);
  if (!fs::exists(path)) {
    SGF_CHECK(is_free(folder), "{}: contains files that are not {}; choose a separate folder for the {}",
              folder.string(), what, what);
    write_json_file(path, order);
  }
  // Read back the file: if several workers start together, one of them has written it last.
  const Json there = read_json_file(path, order.at("format").get<std::string>());
  for (const auto& [key, value] : order.items())
    SGF_CHECK(
        there.value(key, Json()) == value,
        "{}: was started with other settings: {} is {} in {}, {} in this command; choose another folder with --out",
        folder.string(), key, there.value(key, Json()).dump(), path.filename().string(), value.dump());
}

}  // namespace sgf
