// One process at a time at a file's name. The system releases the lock when the process ends, however it ends.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace sgf {

// Held on a file that exists for this purpose alone. What a killed holder wrote into it can be read by the next one.
class FileLock {
 public:
  // Nothing where another process holds it. Makes the file where there is none. File systems without locks give one
  // that protects nothing.
  static std::optional<FileLock> try_take(const std::filesystem::path& path);

  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;

  void write(std::string_view text);  // on the disk when this returns; replaces what was there
  void remove_file();                 // with the lock still held, so that nobody takes a file that is about to go
  void remove_new_file() noexcept;    // only if this lock made it: an earlier holder's words stay

 private:
  FileLock(std::filesystem::path path, int fd, bool made_file);
  [[noreturn]] void fail_with(int error) const;

  std::filesystem::path path_;
  int fd_ = -1;
  bool made_file_ = false;
};

// Marks a file that was just made as held by this process. False where remove_unheld() of another one came first, and
// the name is gone.
bool hold_new_file(int fd, const std::filesystem::path& path);

// Removes a file that no process holds; one that is held, or that cannot be asked, stays.
void remove_unheld(const std::filesystem::path& path);

}  // namespace sgf
