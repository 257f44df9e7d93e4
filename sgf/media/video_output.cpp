#include "sgf/media/video_output.h"

#include "sgf/core/error.h"
#include "sgf/files/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

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

// Writing to a pipe without a reader raises a signal that ends the process. Here it becomes an ordinary error, whatever
// the program does with signals elsewhere.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    ::sigpending(&pending);
    was_pending_ = ::sigismember(&pending, SIGPIPE) == 1;
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    const timespec now{};
    if (raised_ && !was_pending_) ::sigtimedwait(&pipe_, nullptr, &now);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

  ssize_t write(int fd, std::span<const std::byte> bytes) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    raised_ = raised_ || (count < 0 && errno == EPIPE);
    return count;
  }

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
  bool raised_ = false;
};

// An open file, and the number of bytes written by this object.
class OpenFile {
 public:
  OpenFile(std::filesystem::path path, int fd, bool has_name) : path_(std::move(path)), fd_(fd), has_name_(has_name) {
    if (fd_ < 0) fail_with(errno);
  }
  ~OpenFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  // Writes all bytes or, if the target is a file, none: half a fragment would keep some players from the complete ones.
  void append(std::span<const std::byte> bytes) {
    check_file();  // a write after the end of a truncated file would leave a hole of zeros
    const int64_t before = size_;
    NoPipeSignal quiet;
    while (!bytes.empty()) {
      const ssize_t count = quiet.write(fd_, bytes);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) take_back(before, errno);
      bytes = bytes.subspan(static_cast<size_t>(count));
      size_ += count;
    }
  }

  // Compares with bytes that are already in the file; they must be equal.
  void expect(std::span<const std::byte> bytes) {
    std::vector<std::byte> there(bytes.size());
    const ssize_t count = ::pread(fd_, there.data(), there.size(), size_);
    if (count < 0) fail_with(errno);
    SGF_CHECK(count == static_cast<ssize_t>(bytes.size()) && std::ranges::equal(there, bytes),
              "{} cannot be continued: its header does not match these settings (size, rate, encoder, note)",
              path_.string());
    size_ += count;
  }

  void cut_at(int64_t bytes) {
    if (::ftruncate(fd_, bytes) != 0 || ::lseek(fd_, bytes, SEEK_SET) != bytes) fail_with(errno);
    size_ = bytes;
  }

  // Syncs to disk and checks the file: writing to one that was deleted or truncated gives no error.
  void sync() {
    if (::fsync(fd_) != 0 && errno != EINVAL) fail_with(errno);  // EINVAL: a pipe
    check_file();
  }
  void close() {
    if (::close(std::exchange(fd_, -1)) != 0) fail_with(errno);
  }

  int64_t size() const { return size_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  void check_file() const {
    struct stat own = {}, named = {};
    if (!has_name_) return;
    if (::fstat(fd_, &own) != 0) fail_with(errno);
    const bool is_there = ::stat(path_.c_str(), &named) == 0;
    SGF_CHECK(is_there && own.st_dev == named.st_dev && own.st_ino == named.st_ino,
              "{} was {} while it was being written: {} bytes are lost; run the command again", path_.string(),
              is_there ? "replaced by another file" : "deleted", size_);
    SGF_CHECK(!S_ISREG(own.st_mode) || own.st_size == size_,
              "{} was changed by another program while it was being written: it has {} bytes, {} were written; run the "
              "command again with --overwrite",
              path_.string(), own.st_size, size_);
  }

  [[noreturn]] void take_back(int64_t bytes, int error) {
    if (::ftruncate(fd_, bytes) == 0) size_ = bytes;  // fails for a pipe
    fail_with(error);
  }

  [[noreturn]] void fail_with(int error) const {
    SGF_CHECK(error != ENXIO, "{}: is a pipe that no program reads; start the reader, or name a file", path_.string());
    SGF_CHECK(error != EPIPE, "{}: the reader has closed the pipe after {} bytes", path_.string(), size_);
    fail("{}: cannot be written: {} after {} bytes", path_.string(), std::strerror(error), size_);
  }

  std::filesystem::path path_;
  int fd_;
  bool has_name_;  // false for the standard output
  int64_t size_ = 0;
};

// Shared behaviour of files that grow in place, whether new or continued.
template <class Output>
class InPlaceOutput : public Output {
 public:
  InPlaceOutput(const std::filesystem::path& path, int fd, bool has_name = true) : file_(path, fd, has_name) {}

  void write(std::span<const std::byte> bytes) override { file_.append(bytes); }
  bool seek(int64_t offset) override { return offset == file_.size(); }
  int64_t size() const override { return file_.size(); }
  void sync() override { file_.sync(); }
  void finish() override {
    file_.sync();
    file_.close();
  }
  const std::filesystem::path& path() const override { return file_.path(); }

 protected:
  OpenFile file_;
};

using GrowingOutput = InPlaceOutput<VideoOutput>;

class TakenUpOutput : public InPlaceOutput<ContinuedOutput> {
 public:
  explicit TakenUpOutput(const std::filesystem::path& path)
      : InPlaceOutput(path, ::open(path.c_str(), O_RDWR | O_CLOEXEC)) {}

  void write(std::span<const std::byte> bytes) override {
    if (!goes_on_at_) return file_.expect(bytes);
    cut();
    file_.append(bytes);
  }
  void go_on_at(int64_t bytes) override { goes_on_at_ = bytes; }
  bool seek(int64_t offset) override { return offset == size(); }
  int64_t size() const override { return goes_on_at_ && !is_cut_ ? *goes_on_at_ : file_.size(); }
  void sync() override {
    cut();
    file_.sync();
  }
  void finish() override {
    cut();
    InPlaceOutput::finish();
  }

 private:
  void cut() {
    if (goes_on_at_ && !std::exchange(is_cut_, true)) file_.cut_at(*goes_on_at_);
  }

  std::optional<int64_t> goes_on_at_;  // set once the header has been compared
  bool is_cut_ = false;
};

// Without O_NONBLOCK, opening a named pipe would wait for a reader for ever, and signals would not end the wait. A
// reader that starts at the same time gets some seconds.
int open_with_reader(const std::filesystem::path& path) {
  constexpr int kTries = 100;
  constexpr std::chrono::milliseconds kNap(50);
  int fd = -1;
  for (int i = 0; i < kTries; ++i) {
    fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666);
    if (fd >= 0 || errno != ENXIO || i + 1 == kTries) break;  // errno says why
    std::this_thread::sleep_for(kNap);
  }
  return fd;
}

}  // namespace

std::unique_ptr<VideoOutput> open_video_output(const std::filesystem::path& path, bool in_place) {
  if (!in_place) return std::make_unique<WholeOutput>(path);
  const int fd = open_with_reader(path);
  if (fd >= 0) ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);  // a full pipe waits for its reader
  return std::make_unique<GrowingOutput>(path, fd);
}

std::unique_ptr<VideoOutput> open_standard_output() {
  return std::make_unique<GrowingOutput>("standard output", ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3),
                                         /*has_name=*/false);
}

std::unique_ptr<ContinuedOutput> continue_video_output(const std::filesystem::path& path) {
  return std::make_unique<TakenUpOutput>(path);
}

}  // namespace sgf
