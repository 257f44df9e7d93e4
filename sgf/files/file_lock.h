// A lock on a file name: one process at a time. The system releases it when the process ends, however it ends.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace sgf {

// Held on a file that exists only for this purpose. The next holder can read what a killed holder wrote into it.
class FileLock {
 public:
  // Returns nullopt if another process holds the lock. Creates the file if it is missing. On file systems without locks
  // it returns a lock that protects nothing.
  static std::optional<FileLock> try_take(const std::filesystem::path& path);

  // Waits for the other process, at most this long; then throws.
  static FileLock take(const std::filesystem::path& path, std::chrono::milliseconds patience);

  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;

  void write(std::string_view text);  // synced to disk on return; replaces the old content
  void remove_file();                 // while the lock is held, so that nobody takes a file about to be removed
  void remove_new_file() noexcept;    // only if this lock created it: an earlier holder's text is kept

 private:
  FileLock(std::filesystem::path path, int fd, bool made_file);
  [[noreturn]] void fail_with(int error) const;

  std::filesystem::path path_;
  int fd_ = -1;
  bool made_file_ = false;
};

// Marks a newly created file as held by this process. Returns false if remove_unheld() of another process came first
// and the name is gone.
bool hold_new_file(int fd, const std::filesystem::path& path);

// Removes a file that no process holds. A file that is held, or whose state is unknown, is kept.
void remove_unheld(const std::filesystem::path& path);

}  // namespace sgf
