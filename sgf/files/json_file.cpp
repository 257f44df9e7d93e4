#include "sgf/files/json_file.h"

#include "sgf/files/atomic_file.h"
#include "sgf/files/mapped_file.h"
#include "sgf/files/strict_json.h"

#include <nlohmann/json.hpp>

namespace sgf {

nlohmann::json read_json_file(const std::filesystem::path& path) {
  return parse_strict_json(MappedFile::open(path)->text(), path.string());
}

std::optional<nlohmann::json> try_read_json_file(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  return try_parse_json(MappedFile::open(path)->text());
}

void write_json_file(const std::filesystem::path& path, const nlohmann::json& content) {
  AtomicFile file(path);
  file.write(content.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  file.commit();
}

}  // namespace sgf
