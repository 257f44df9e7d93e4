#include "sgf/files/bundled.h"

#include "sgf/files/path_kind.h"

namespace sgf {

namespace fs = std::filesystem;

namespace {

// Other folders of a source tree, such as runs, are its user's own.
bool may_be_bundled(const fs::path& path) {
  const fs::path first = path.empty() ? fs::path() : *path.begin();
  return first == "models" || first == "presets" || first == "recipes";
}

}  // namespace

fs::path bundled_folder() {
  std::error_code ignored;  // without /proc the installed folder is not found
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path installed = program.parent_path().parent_path() / "share/sgf";
  return !program.empty() && is_folder(installed / "presets") ? installed : fs::path(SGF_SOURCE_TREE);
}

fs::path find_bundled(const fs::path& path) {
  if (!may_be_bundled(path) || is_there(path)) return path;
  const fs::path bundled = bundled_folder() / path;
  return is_there(bundled) ? bundled : path;
}

}  // namespace sgf
