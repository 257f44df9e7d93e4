// A folder of videos and their captions: what is there, and what belongs together. Torch-free.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace sgf {

struct FolderVideo {
  std::string name;            // within the folder, with /
  std::filesystem::path path;  // a video file, or a folder of PNG files
  std::string caption;
  uint64_t bytes = 0;
  int64_t changed = 0;  // when, in the file system's nanoseconds
};

struct VideoFolder {
  std::vector<FolderVideo> videos;         // with a caption, by name
  std::vector<std::string> uncaptioned;    // videos that have none
  std::vector<std::string> without_video;  // captions that belong to none of the videos
  // Videos that cannot be listed, and why: names, or captions beside them, that are no UTF-8.
  std::map<std::string, std::string> unreadable;
};

// Everything below `folder` that is a video by its name, or a folder with PNG files in it. Captions come from the list
// (captions.h), which names files as they lie in the folder, or, where that is empty, from a .txt file beside each
// video. An empty caption is none.
VideoFolder read_video_folder(const std::filesystem::path& folder, const std::filesystem::path& list);

// Of a file's bytes; of a folder, over the names and bytes of its PNG files.
std::string sha256_of_video(const std::filesystem::path& video);

}  // namespace sgf
