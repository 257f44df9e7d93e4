#include "sgf/files/append_file.h"

#include "sgf/core/error.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace sgf {

AppendFile::AppendFile(std::filesystem::path path, Opening opening) : path_(std::move(path)) {
  const int new_only = opening == Opening::kNew ? O_EXCL : 0;
  fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | new_only, 0666);
  if (fd_ < 0) fail_with(errno);
  size_ = ::lseek(fd_, 0, SEEK_END);
}

AppendFile::AppendFile(AppendFile&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), size_(other.size_) {}

AppendFile::~AppendFile() {
  if (fd_ >= 0) ::close(fd_);
}

void AppendFile::append(std::string_view record) {
  write_all(record);
  size_ += static_cast<int64_t>(record.size());
}

void AppendFile::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int error = errno;
      if (::ftruncate(fd_, size_) != 0) fail_with(errno);
      fail_with(error);
    }
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

void AppendFile::sync() {
  // EINVAL: a pipe, or a file system that does not support fsync.
  if (::fsync(fd_) != 0 && errno != EINVAL) fail_with(errno);
}

void AppendFile::fail_with(int error) const {
  const bool is_full = error == ENOSPC || error == EDQUOT;
  fail("{}: cannot be appended to: {}{}; its first {} bytes are intact", path_.string(),
       is_full ? "the disk is full: " : "", std::strerror(error), size_);
}

}  // namespace sgf
