#include "sgf/core/json_file.h"

#include "sgf/core/atomic_file.h"
#include "sgf/core/mapped_file.h"
#include "sgf/core/strict_json.h"

#include <nlohmann/json.hpp>

namespace sgf {

nlohmann::json read_json_file(const std::filesystem::path& path) {
  const std::shared_ptr<const MappedFile> file = MappedFile::open(path);
  const std::span<const std::byte> bytes = file->bytes();
  return parse_strict_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string(),
                           {.depth = 16, .array_length = 10'000'000});
}

void write_json_file(const std::filesystem::path& path, const nlohmann::json& content) {
  AtomicFile file(path);
  file.write(content.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  file.commit();
}

}  // namespace sgf
