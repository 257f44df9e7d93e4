// Mapping by POSIX calls: open, fstat, mmap, close.
#include "sgf/files/mapped_file.h"

#include "sgf/core/error.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace sgf {
namespace {

// A descriptor that closes itself; the mapping outlives it.
class Descriptor {
 public:
  // Without O_NONBLOCK, opening a named pipe would wait for a writer before the pipe is refused.
  explicit Descriptor(const std::filesystem::path& path)
      : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    SGF_CHECK(fd_ >= 0, "{}: cannot be opened: {}", path.string(), std::strerror(errno));
  }
  ~Descriptor() { ::close(fd_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }

 private:
  int fd_;
};

size_t regular_file_size(int fd, const std::filesystem::path& path) {
  struct stat status = {};
  const bool is_known = ::fstat(fd, &status) == 0;
  SGF_CHECK(is_known, "{}: cannot be examined: {}", path.string(), std::strerror(errno));
  SGF_CHECK(!S_ISDIR(status.st_mode), "{}: is a folder, expected a file", path.string());
  SGF_CHECK(!S_ISFIFO(status.st_mode), "{}: is a pipe, expected a regular file; save it to a file first",
            path.string());
  SGF_CHECK(S_ISREG(status.st_mode), "{}: is not a regular file", path.string());
  return static_cast<size_t>(status.st_size);
}

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const Descriptor descriptor(path);
  const size_t size = regular_file_size(descriptor.get(), path);
  std::shared_ptr<MappedFile> file(new MappedFile(path));
  if (size == 0) return file;  // mmap refuses a length of zero

  void* start = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor.get(), 0);
  SGF_CHECK(start != MAP_FAILED, "{}: cannot be mapped: {}", path.string(), std::strerror(errno));
  file->bytes_ = {static_cast<const std::byte*>(start), size};
  return file;
}

std::shared_ptr<const MappedFile> MappedFile::from_bytes(std::filesystem::path name, std::vector<std::byte> bytes) {
  std::shared_ptr<MappedFile> file(new MappedFile(std::move(name)));
  file->owned_ = std::move(bytes);
  file->bytes_ = file->owned_;
  return file;
}

void MappedFile::let_go(std::span<const std::byte> part) const {
  if (!owned_.empty() || part.empty()) return;
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto start = reinterpret_cast<uintptr_t>(part.data());
  const uintptr_t begin = (start + page - 1) / page * page, end = (start + part.size()) / page * page;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

MappedFile::~MappedFile() {
  if (!owned_.empty() || bytes_.empty()) return;
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace sgf
