#include "sgf/files/writable_folder.h"

#include "sgf/core/error.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace sgf {
namespace {

namespace fs = std::filesystem;

// "a/b" of "a/b/c" and of "a/b/c/".
fs::path folder_around(const fs::path& path) {
  const fs::path clean = path.lexically_normal();
  const fs::path named = clean.has_filename() ? clean : clean.parent_path();
  return named.has_parent_path() ? named.parent_path() : ".";
}

}  // namespace

void check_writable(const fs::path& folder, const std::string& target) {
  std::error_code error;  // what cannot be looked at is no folder for us
  SGF_CHECK(fs::is_directory(folder, error), "cannot write {}: {} {}", target,
            fs::exists(folder, error) ? "expected a folder, but this is a file:" : "no such folder:", folder.string());
  const bool is_writable = ::access(folder.c_str(), W_OK | X_OK) == 0;
  SGF_CHECK(is_writable, "cannot write {}: the folder {}: {}", target, folder.string(), std::strerror(errno));
}

void check_can_be_put(const fs::path& file) { check_writable(folder_around(file), file.string()); }

void check_can_be_made(const fs::path& folder, const std::string& target) {
  check_writable(existing_part(folder), target);
}

fs::path existing_part(const fs::path& folder) {
  std::error_code error;
  fs::path place = folder;
  while (!fs::exists(place, error) && place != folder_around(place)) place = folder_around(place);
  return place;
}

void create_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  SGF_CHECK(!error, "cannot create the folder {}: {}", folder.string(), error.message());
}

}  // namespace sgf
