#include "sgf/data/video_output.h"

#include "sgf/core/atomic_file.h"
#include "sgf/core/error.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace sgf {
namespace {

class WholeOutput : public VideoOutput {
 public:
  explicit WholeOutput(const std::filesystem::path& path) : file_(path) {}

  void write(std::span<const std::byte> bytes) override {
    const auto behind = std::min<uint64_t>(file_.bytes_written() - position_, bytes.size());
    file_.write_at(position_, bytes.first(behind));
    file_.write(bytes.subspan(behind));
    position_ += bytes.size();
  }
  bool seek(int64_t offset) override {
    if (offset < 0 || offset > size()) return false;
    position_ = static_cast<uint64_t>(offset);
    return true;
  }
  int64_t size() const override { return static_cast<int64_t>(file_.bytes_written()); }
  void finish() override { file_.commit(); }
  const std::filesystem::path& path() const override { return file_.target(); }

 private:
  AtomicFile file_;
  uint64_t position_ = 0;
};

class GrowingOutput : public VideoOutput {
 public:
  explicit GrowingOutput(std::filesystem::path path)
      : path_(std::move(path)), fd_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    if (fd_ < 0) fail_with(errno);
  }
  ~GrowingOutput() override {
    if (fd_ >= 0) ::close(fd_);
  }

  void write(std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      const ssize_t count = ::write(fd_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail_with(errno);
      bytes = bytes.subspan(static_cast<size_t>(count));
      size_ += count;
    }
  }
  bool seek(int64_t offset) override { return offset == size_; }
  int64_t size() const override { return size_; }
  void finish() override {
    if (::fsync(fd_) != 0 && errno != EINVAL) fail_with(errno);  // EINVAL: a pipe
    if (::close(std::exchange(fd_, -1)) != 0) fail_with(errno);
  }
  const std::filesystem::path& path() const override { return path_; }

 private:
  [[noreturn]] void fail_with(int error) const {
    fail("data", "{}: cannot be written: {} after {} bytes", path_.string(), std::strerror(error), size_);
  }

  std::filesystem::path path_;
  int fd_;
  int64_t size_ = 0;
};

}  // namespace

std::unique_ptr<VideoOutput> open_video_output(const std::filesystem::path& path, bool in_place) {
  if (in_place) return std::make_unique<GrowingOutput>(path);
  return std::make_unique<WholeOutput>(path);
}

}  // namespace sgf
