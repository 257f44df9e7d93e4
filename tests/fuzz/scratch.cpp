#include "fuzz/scratch.h"

#include "fuzz/fuzz_target.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <system_error>
#include <vector>

namespace sgf::fuzz {
namespace {

namespace fs = std::filesystem;

fs::path place_in_memory() {
  if (const char* named = std::getenv("TMPDIR"); named != nullptr && *named != '\0') return named;
  return ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = place_in_memory() / "sgf_fuzz_XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), name);
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

const fs::path& scratch_folder() {
  static const ScratchFolder folder;
  return folder.path();
}

fs::path scratch_file(std::string_view name, std::string_view content) {
  const fs::path path = scratch_folder() / name;
  int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0 && errno == ENOENT) {
    fs::create_directories(path.parent_path());
    fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  }
  if (fd < 0) throw std::system_error(errno, std::generic_category(), path.string());
  const ssize_t written = ::write(fd, content.data(), content.size());
  ::close(fd);
  if (written != static_cast<ssize_t>(content.size())) throw std::system_error(ENOSPC, std::generic_category(), path);
  return path;
}

std::shared_ptr<const MappedFile> mapped(std::string_view name, std::string_view content) {
  const auto bytes = std::as_bytes(std::span(content));
  return MappedFile::from_bytes(name, {bytes.begin(), bytes.end()});
}

}  // namespace sgf::fuzz
