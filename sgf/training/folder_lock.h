// One process at a time in a folder. The system lets go when the process ends, however it ends.
#pragma once

#include <filesystem>

namespace sgf {

class FolderLock {
 public:
  // Refuses at once where another process holds it.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;

 private:
  int fd_ = -1;
};

}  // namespace sgf
