#include "sgf/media/latent_note.h"

#include "sgf/files/mapped_file.h"
#include "sgf/files/strict_json.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstring>

namespace sgf {

std::optional<std::string> read_latent_note(const std::filesystem::path& path) {
  constexpr uint64_t kLongestHeader = 16 << 20;
  const auto file = MappedFile::open(path);
  uint64_t length = 0;
  if (file->bytes().size() < sizeof(length)) return std::nullopt;
  std::memcpy(&length, file->bytes().data(), sizeof(length));
  if (length > kLongestHeader || length > file->bytes().size() - sizeof(length)) return std::nullopt;
  try {
    const nlohmann::json header =
        parse_strict_json(file->text().substr(sizeof(length), length), path.string(), {.depth = 3, .array_length = 64});
    return header.at("__metadata__").at("note").get<std::string>();
  } catch (const std::exception&) {  // not a latent file
    return std::nullopt;
  }
}

}  // namespace sgf
