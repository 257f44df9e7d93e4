#include "sgf/assembly/preset_folders.h"

#include "sgf/files/bundled.h"
#include "sgf/files/path_kind.h"

#include <cstdlib>
#include <set>

namespace sgf {

std::vector<std::filesystem::path> preset_folders() {
  const char* named = std::getenv("SGF_PRESETS");

  std::vector<std::filesystem::path> folders;
  for (const std::filesystem::path& folder :
       {std::filesystem::path(named ? named : ""), bundled_folder() / "presets"}) {
    if (!folder.empty() && is_folder(folder)) folders.push_back(folder);
  }
  return folders;
}

std::vector<std::string> preset_names() {
  std::set<std::string> names;
  for (const std::filesystem::path& folder : preset_folders()) {
    std::error_code error;
    for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      if (it->path().extension() == ".yaml") names.insert(it->path().stem().string());
    }
  }
  return {names.begin(), names.end()};
}

std::optional<std::filesystem::path> find_beside_presets(const std::filesystem::path& name) {
  std::error_code ignored;
  for (const std::filesystem::path& presets : preset_folders())
    if (const std::filesystem::path place = presets.parent_path() / name; std::filesystem::exists(place, ignored))
      return place;
  return std::nullopt;
}

}  // namespace sgf
