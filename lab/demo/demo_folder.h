// The output folder of a demo. Files of others are not changed. Torch-free.
#pragma once

#include "sgf/runs/folder_lock.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

class DemoFolder {
 public:
  // Removes the files of an earlier demo (`runs` are the names of its run folders) and writes an unfinished page.
  // Throws Error if the folder contains other files, or if another demo is writing to it.
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
