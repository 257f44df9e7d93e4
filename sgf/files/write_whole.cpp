#include "sgf/files/write_whole.h"

#include "sgf/files/touch_pages.h"

#include <unistd.h>

#include <cerrno>
#include <span>

namespace sgf {

bool write_whole_at(int fd, uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int error = errno;
      if (error == EFAULT) touch_pages(std::as_bytes(std::span(bytes)));
      errno = error;
      return false;
    }
    bytes.remove_prefix(static_cast<size_t>(count));
    offset += static_cast<uint64_t>(count);
  }
  return true;
}

}  // namespace sgf
