// A folder of videos and their captions, and which belong together. Torch-free.
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
  int64_t changed = 0;  // modification time, in the file system's nanoseconds
};

struct VideoFolder {
  std::vector<FolderVideo> videos;         // with a caption, sorted by name
  std::vector<std::string> uncaptioned;    // videos without a caption
  std::vector<std::string> without_video;  // captions without a video
  // Videos that cannot be listed, and why: their name, or the caption beside them, is not UTF-8.
  std::map<std::string, std::string> unreadable;
};

// Finds everything below `folder` that has the name of a video or is a folder with PNG files. Captions come from the
// list (captions.h), whose names are relative to the folder, or, if that is empty, from a .txt file beside each video.
// An empty caption counts as missing.
VideoFolder read_video_folder(const std::filesystem::path& folder, const std::filesystem::path& list);

// The hash of a file's bytes; for a folder, of the names and bytes of its PNG files.
std::string sha256_of_video(const std::filesystem::path& video);

}  // namespace sgf
