#include "sgf/files/file_lock.h"

#include "sgf/core/error.h"
#include "sgf/files/write_whole.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

namespace sgf {
namespace {

namespace fs = std::filesystem;

// The name may belong to another file since this one was opened.
bool still_has_name(int fd, const fs::path& path) {
  struct stat own = {}, named = {};
  return ::fstat(fd, &own) == 0 && ::stat(path.c_str(), &named) == 0 && own.st_dev == named.st_dev &&
         own.st_ino == named.st_ino;
}

struct OpenedFile {
  int fd = -1;
  bool is_new = false;
};

// Follows no link: one that leads nowhere can be neither opened nor made.
OpenedFile open_or_make(const fs::path& path) {
  constexpr int kHow = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const int made = ::open(path.c_str(), kHow | O_CREAT | O_EXCL, 0666);
  if (made >= 0 || errno != EEXIST) return {made, true};
  return {::open(path.c_str(), kHow), false};
}

constexpr int kMostTries = 1000;  // each time, its holder removed the file just before it could be locked

}  // namespace

FileLock::FileLock(fs::path path, int fd, bool made_file) : path_(std::move(path)), fd_(fd), made_file_(made_file) {}

std::optional<FileLock> FileLock::try_take(const fs::path& path) {
  for (int tries = 0; tries < kMostTries; ++tries) {
    const OpenedFile file = open_or_make(path);
    if (file.fd < 0 && errno == ENOENT && fs::is_directory(path.has_parent_path() ? path.parent_path() : "."))
      continue;  // its holder has removed it meanwhile
    FileLock lock(path, file.fd, file.is_new);
    if (file.fd < 0) lock.fail_with(errno);
    if (::flock(file.fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return std::nullopt;
    if (still_has_name(file.fd, path)) return lock;
  }
  fail("{}: the lock file cannot be created; choose a folder in which you may create files", path.string());
}

FileLock FileLock::take(const fs::path& path, std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  for (;;) {
    if (std::optional<FileLock> lock = try_take(path)) return std::move(*lock);
    SGF_CHECK(std::chrono::steady_clock::now() < until, "{}: another process holds this lock for {} s; try again later",
              path.string(), std::chrono::duration_cast<std::chrono::seconds>(patience).count());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

FileLock::FileLock(FileLock&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), made_file_(other.made_file_) {}

FileLock::~FileLock() {
  if (fd_ >= 0) ::close(fd_);
}

void FileLock::write(std::string_view text) {
  if (::ftruncate(fd_, 0) != 0 || !write_whole_at(fd_, 0, text) || ::fsync(fd_) != 0) fail_with(errno);
}

void FileLock::remove_file() {
  if (::unlink(path_.c_str()) != 0 && errno != ENOENT) fail_with(errno);
}

void FileLock::remove_new_file() noexcept {
  if (made_file_) ::unlink(path_.c_str());
}

void FileLock::fail_with(int error) const {
  SGF_CHECK(error != ELOOP, "{}: the lock file cannot be used: it is a symbolic link; remove the link", path_.string());
  fail("{}: the lock file cannot be used: {}; check that the folder can be written to", path_.string(),
       std::strerror(error));
}

bool hold_new_file(int fd, const fs::path& path) {
  while (::flock(fd, LOCK_EX) != 0 && errno == EINTR) {
  }
  return still_has_name(fd, path);
}

void remove_unheld(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return;
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
  ::close(fd);
}

}  // namespace sgf
