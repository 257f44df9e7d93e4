#include "sgf/data/video_folder.h"

#include "sgf/core/error.h"
#include "sgf/core/mapped_file.h"
#include "sgf/core/sha256.h"
#include "sgf/data/captions.h"
#include "sgf/data/frame_source.h"
#include "sgf/data/text_file.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <limits>
#include <set>

namespace sgf {
namespace {

namespace fs = std::filesystem;

// The containers that VideoReader opens, by the names their files have.
const std::set<std::string> kVideoExtensions{".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".ts", ".y4m", ".gif"};

constexpr auto kFollow = fs::directory_options::follow_directory_symlink;  // large folders are often links

bool is_video_file(const fs::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return kVideoExtensions.contains(extension) && !path.filename().string().starts_with(".");
}

void add_size(FolderVideo& video, const fs::path& file) {
  const auto time = fs::last_write_time(file).time_since_epoch();
  video.bytes += fs::file_size(file);
  video.changed = std::max<int64_t>(video.changed, std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

FolderVideo video_at(const fs::path& path, const fs::path& folder) {
  FolderVideo video{.name = path.lexically_relative(folder).generic_string(), .path = path};
  video.changed = std::numeric_limits<int64_t>::min();
  if (!fs::is_directory(path)) {
    add_size(video, path);
    return video;
  }
  for (const fs::path& file : png_files_in(path)) add_size(video, file);
  return video;
}

std::vector<FolderVideo> videos_in(const fs::path& folder) {
  check(fs::is_directory(folder), "data", "{}: no such folder of videos", folder.string());
  std::vector<FolderVideo> videos;
  for (auto at = fs::recursive_directory_iterator(folder, kFollow); at != fs::recursive_directory_iterator(); ++at) {
    const bool is_pictures = at->is_directory() && !png_files_in(at->path()).empty();
    if (is_pictures) at.disable_recursion_pending();
    if (is_pictures || (at->is_regular_file() && is_video_file(at->path())))
      videos.push_back(video_at(at->path(), folder));
  }
  std::ranges::sort(videos, {}, &FolderVideo::name);
  return videos;
}

// "a/./b.mp4", and the whole path of a file in the folder, are "a/b.mp4".
std::string name_in(const fs::path& folder, const std::string& listed) {
  const fs::path path(listed);
  const fs::path inside = path.is_absolute() ? path.lexically_relative(fs::absolute(folder).lexically_normal()) : path;
  return inside.lexically_normal().generic_string();
}

Captions captions_of_list(const fs::path& folder, const fs::path& list) {
  Captions captions;
  for (const auto& [file, caption] : read_captions(list)) {
    const auto [found, is_new] = captions.emplace(name_in(folder, file), caption);
    check(is_new || found->second == caption, "data", "{}: {} has two captions", list.string(), found->first);
  }
  return captions;
}

// Of all text files below the folder, under the name of the video that they lie beside.
Captions captions_beside(const fs::path& folder, const std::vector<FolderVideo>& videos) {
  std::map<fs::path, std::string> waiting;
  for (const FolderVideo& video : videos)
    waiting[fs::is_directory(video.path) ? fs::path(video.path).concat(".txt")
                                         : fs::path(video.path).replace_extension(".txt")] = video.name;
  Captions captions;
  for (const auto& entry : fs::recursive_directory_iterator(folder, kFollow)) {
    if (entry.path().extension() != ".txt" || !entry.is_regular_file()) continue;
    const auto found = waiting.find(entry.path());
    const std::string name =
        found == waiting.end() ? entry.path().lexically_relative(folder).generic_string() : found->second;
    captions[name] = found == waiting.end() ? "" : trimmed(read_text_file(entry.path(), "a caption"));
  }
  return captions;
}

}  // namespace

VideoFolder read_video_folder(const fs::path& folder, const fs::path& list) {
  std::vector<FolderVideo> videos = videos_in(folder);
  check(!videos.empty(), "data", "{}: holds no videos: .mp4, .mov, .mkv, .webm and others, or folders of PNG files",
        folder.string());
  Captions captions = list.empty() ? captions_beside(folder, videos) : captions_of_list(folder, list);
  VideoFolder found;
  for (FolderVideo& video : videos) {
    if (const auto entry = captions.find(video.name); entry != captions.end()) {
      video.caption = entry->second;
      captions.erase(entry);
    }
    if (video.caption.empty()) {
      found.uncaptioned.push_back(video.name);
    } else {
      found.videos.push_back(std::move(video));
    }
  }
  for (const auto& [name, caption] : captions) found.without_video.push_back(name);
  return found;
}

std::string sha256_of_video(const fs::path& video) {
  if (!fs::is_directory(video)) return sha256_of_file(video);
  Sha256 hash;
  for (const fs::path& file : png_files_in(video)) {
    hash.update(fmt::format("{} {}\n", file.filename().string(), fs::file_size(file)));
    hash.update(MappedFile::open(file)->bytes());
  }
  return hash.hex();
}

}  // namespace sgf
