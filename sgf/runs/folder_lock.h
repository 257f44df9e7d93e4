// Lets one process at a time use a folder. The system releases the lock when the process ends, even by a kill.
#pragma once

#include "sgf/files/file_lock.h"

#include <filesystem>

namespace sgf {

class FolderLock {
 public:
  // Throws at once if another process holds the lock.
  explicit FolderLock(const std::filesystem::path& folder);

 private:
  FileLock lock_;
};

}  // namespace sgf
