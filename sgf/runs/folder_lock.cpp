#include "sgf/runs/folder_lock.h"

#include "sgf/core/error.h"

namespace sgf {
namespace {

FileLock lock_of(const std::filesystem::path& folder) {
  std::optional<FileLock> lock = FileLock::try_take(folder / ".lock");
  SGF_CHECK(lock.has_value(), "{}: another process is training in this folder; wait for it, or choose another folder",
            folder.string());
  return std::move(*lock);
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder) : lock_(lock_of(folder)) {}

}  // namespace sgf
