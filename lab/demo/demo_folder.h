// The folder that a demo writes to. What no demo made is not touched. Torch-free.
#pragma once

#include "sgf/runs/folder_lock.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

class DemoFolder {
 public:
  // Takes away what an earlier demo left there (`runs` are the names of its run folders) and puts an unfinished page in
  // its place. A folder that holds something else, or that a demo is writing to now, is refused.
  DemoFolder(const std::filesystem::path& path, const std::vector<std::string>& runs);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path page() const { return path_ / "demo.html"; }
  std::filesystem::path picture() const { return path_ / "demo.png"; }       // for a README
  std::filesystem::path strip(size_t prompt) const;                          // strips/00.png
  std::filesystem::path video(const std::string& who, size_t prompt) const;  // videos/WHO/00.mp4

 private:
  std::filesystem::path path_;
  FolderLock lock_;
};

}  // namespace sgf
