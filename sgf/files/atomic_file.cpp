#include "sgf/files/atomic_file.h"

#include "sgf/core/error.h"
#include "sgf/files/file_lock.h"
#include "sgf/files/touch_pages.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace sgf {
namespace {

std::filesystem::path folder_of(const std::filesystem::path& target) {
  return target.has_parent_path() ? target.parent_path() : ".";
}

// Hidden and without a known extension, so that listing a folder of weights skips it.
std::filesystem::path temporary_name(const std::filesystem::path& target) {
  static std::atomic<int> counter = 0;
  return folder_of(target) / fmt::format(".{}.{}-{}.tmp", target.filename().string(), ::getpid(), counter++);
}

// NAME from ".NAME.PID-N.tmp"; nullopt for any other file.
std::optional<std::string> target_of_temporary(const std::string& name) {
  static const std::string kEnding = ".tmp";
  if (!name.starts_with('.') || !name.ends_with(kEnding)) return std::nullopt;
  const std::string inner = name.substr(1, name.size() - 1 - kEnding.size());
  const size_t dot = inner.rfind('.'), dash = inner.rfind('-');
  const auto all_digits = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (dot == std::string::npos || dot == 0 || dash == std::string::npos || dash < dot) return std::nullopt;
  const std::string_view numbers(inner);
  if (!all_digits(numbers.substr(dot + 1, dash - dot - 1)) || !all_digits(numbers.substr(dash + 1)))
    return std::nullopt;
  return inner.substr(0, dot);
}

// What killed processes left in the folders that this process writes to, by target. Each folder is listed once: a
// folder of thousands of frames would be listed for each of them.
class Leftovers {
 public:
  // Removes those of the target that no live process holds.
  void sweep(const std::filesystem::path& target) {
    const std::lock_guard lock(mutex_);
    std::multimap<std::string, std::filesystem::path>& there = in_folder(folder_of(target));
    const auto [first, last] = there.equal_range(target.filename().string());
    for (auto it = first; it != last; ++it) remove_unheld(it->second);
    there.erase(first, last);
  }

 private:
  std::multimap<std::string, std::filesystem::path>& in_folder(const std::filesystem::path& folder) {
    std::error_code ignored;  // a missing or unreadable folder has nothing to sweep
    const auto [place, is_new] = folders_.try_emplace(std::filesystem::absolute(folder, ignored));
    if (!is_new) return place->second;
    for (std::filesystem::directory_iterator it(folder, ignored), end; !ignored && it != end; it.increment(ignored))
      if (const auto target = target_of_temporary(it->path().filename().string()))
        place->second.emplace(*target, std::filesystem::absolute(it->path(), ignored));
    return place->second;
  }

  std::mutex mutex_;
  std::map<std::filesystem::path, std::multimap<std::string, std::filesystem::path>> folders_;
};

Leftovers& leftovers() {
  static Leftovers all;
  return all;
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path target) : target_(std::move(target)) {
  SGF_CHECK(target_.has_filename(), "cannot write to '{}': expected a file name", target_.string());
  leftovers().sweep(target_);
  while (!make_temporary()) {
  }
}

// Returns false if the name is taken. It may be left over from a killed process of the same number, or another process
// swept it before this one held it.
bool AtomicFile::make_temporary() {
  temporary_ = temporary_name(target_);
  fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd_ < 0 && errno == EEXIST) return false;
  if (fd_ < 0) fail_with(errno);
  if (hold_new_file(fd_, temporary_)) return true;
  ::close(std::exchange(fd_, -1));
  return false;
}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!committed_) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  SGF_CHECK(fd_ >= 0, "{}: written to after commit", target_.string());
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_with(errno, bytes);
    bytes = bytes.subspan(static_cast<size_t>(count));
    written_ += static_cast<uint64_t>(count);
  }
}

void AtomicFile::write_at(uint64_t offset, std::span<const std::byte> bytes) {
  SGF_CHECK(fd_ >= 0, "{}: written to after commit", target_.string());
  SGF_CHECK(offset <= written_ && bytes.size() <= written_ - offset, "{}: bytes {} to {} have not been written yet",
            target_.string(), offset, offset + bytes.size());
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_with(errno, bytes);
    bytes = bytes.subspan(static_cast<size_t>(count));
    offset += static_cast<uint64_t>(count);
  }
}

void AtomicFile::commit() {
  SGF_CHECK(fd_ >= 0, "{}: committed twice", target_.string());
  if (::fsync(fd_) != 0) fail_with(errno);
  // A network disk may report only here that it is full.
  if (::close(std::exchange(fd_, -1)) != 0) fail_with(errno);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail_with(errno);
  committed_ = true;
  sync_folder();
}

void AtomicFile::sync_folder() const {
  const int folder = ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) fail_with(errno);
  const int error = ::fsync(folder) == 0 ? 0 : errno;
  ::close(folder);
  if (error != 0 && error != EINVAL) fail_with(error);  // EINVAL: a file system that does not support fsync
}

void AtomicFile::fail_with(int error, std::span<const std::byte> refused) const {
  if (error == EFAULT) touch_pages(refused);
  std::error_code ignored;
  if ((error == ENOENT || error == ENOTDIR) && written_ == 0 &&
      !std::filesystem::is_directory(folder_of(target_), ignored))
    fail("{}: the folder does not exist", target_.string());
  const bool is_full = error == ENOSPC || error == EDQUOT;
  fail("{}: cannot be written: {}{}{}; {}", target_.string(), is_full ? "the disk is full: " : "", std::strerror(error),
       written_ > 0 ? fmt::format(" after {} bytes", written_) : "",
       committed_ ? "the file is in place but may not survive a power cut"
                  : "an existing file of that name is unchanged");
}

void sweep_half_written(const std::filesystem::path& folder, const std::function<bool(const std::string&)>& is_ours) {
  std::error_code ignored;  // a missing or unreadable folder has nothing to sweep
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::optional<std::string> target = target_of_temporary(entry.path().filename().string());
    if (target && is_ours(*target)) remove_unheld(entry.path());
  }
}

}  // namespace sgf
