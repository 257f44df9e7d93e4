#include "sgf/files/bundled.h"

namespace sgf {

namespace fs = std::filesystem;

std::optional<fs::path> installed_data_folder() {
  std::error_code ignored;  // without /proc the installed folder is not found
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  if (program.empty()) return std::nullopt;
  const fs::path folder = program.parent_path().parent_path() / "share/sgf";
  return fs::is_directory(folder / "presets", ignored) ? std::optional(folder) : std::nullopt;
}

fs::path find_bundled(const fs::path& path) {
  std::error_code ignored;
  if (path.empty() || path.is_absolute() || fs::exists(path, ignored)) return path;
  const std::optional<fs::path> data = installed_data_folder();
  return data && fs::exists(*data / path, ignored) ? *data / path : path;
}

}  // namespace sgf
