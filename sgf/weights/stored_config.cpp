#include "sgf/weights/stored_config.h"

#include "sgf/core/error.h"
#include "sgf/files/path_kind.h"

namespace sgf {
namespace {

StoredConfig parse(std::string_view text, const std::string& source, const std::string& shown) {
  try {
    return {.config = dit_config_from_json(text, shown), .source = source, .problem = ""};
  } catch (const Error& error) {
    return {.config = std::nullopt, .source = "", .problem = error.what()};
  }
}

}  // namespace

StoredConfig find_stored_config(const TensorFile& file, const std::filesystem::path& path) {
  const auto in_metadata = file.metadata.find(kConfigKey);
  if (in_metadata != file.metadata.end()) return parse(in_metadata->second, "metadata", path.string() + " metadata");

  const std::filesystem::path beside = (is_folder(path) ? path : path.parent_path()) / "config.json";
  if (!is_file(beside)) return {};
  return parse(MappedFile::open(beside)->text(), "config.json", beside.string());
}

}  // namespace sgf
