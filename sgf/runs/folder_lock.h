// One process at a time in a folder. The system lets go when the process ends, however it ends.
#pragma once

#include "sgf/files/file_lock.h"

#include <filesystem>

namespace sgf {

class FolderLock {
 public:
  // Refuses at once where another process holds it.
  explicit FolderLock(const std::filesystem::path& folder);

 private:
  FileLock lock_;
};

}  // namespace sgf
