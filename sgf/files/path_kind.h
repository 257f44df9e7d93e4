// What is at a path, without an exception: a path that cannot be examined counts as absent, and opening it later
// reports the reason.
#pragma once

#include <filesystem>
#include <system_error>

namespace sgf {

inline bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

// A regular file, not a pipe or a device. Follows links, as is_folder does.
inline bool is_file(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

inline bool is_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

}  // namespace sgf
