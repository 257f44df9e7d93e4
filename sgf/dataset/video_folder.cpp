#include "sgf/dataset/video_folder.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/dataset/captions.h"
#include "sgf/files/mapped_file.h"
#include "sgf/files/sha256.h"
#include "sgf/files/text_file.h"
#include "sgf/media/frame_source.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <functional>
#include <limits>
#include <set>

namespace sgf {
namespace {

namespace fs = std::filesystem;

// Extensions of the containers that VideoReader opens.
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

// A dangling link, or one of two that point to each other.
bool leads_nowhere(const fs::directory_entry& entry) {
  std::error_code is_broken;
  return !fs::exists(entry.path(), is_broken) || is_broken;
}

// A link to a folder that contains it would repeat without end.
bool leads_back(const fs::directory_entry& entry) {
  if (!entry.is_symlink() || leads_nowhere(entry)) return false;
  const fs::path to = fs::canonical(entry.path()), from = fs::canonical(entry.path().parent_path());
  return std::ranges::mismatch(to, from).in1 == to.end();
}

// Visits everything below the folder. Enters a folder only if the visitor returns true.
void walk(const fs::path& folder, const std::function<bool(const fs::directory_entry&)>& enters) {
  for (auto at = fs::recursive_directory_iterator(folder, kFollow); at != fs::recursive_directory_iterator(); ++at)
    if (leads_back(*at) || !enters(*at)) at.disable_recursion_pending();
}

std::vector<FolderVideo> videos_in(const fs::path& folder, VideoFolder& found) {
  SGF_CHECK(fs::is_directory(folder), "{}: is not a folder, expected a folder of videos", folder.string());
  std::vector<FolderVideo> videos;
  walk(folder, [&](const fs::directory_entry& entry) {
    if (leads_nowhere(entry)) {
      if (is_video_file(entry.path()))
        found.unreadable[entry.path().lexically_relative(folder).generic_string()] = "a link that leads to no file";
      return false;
    }
    const bool is_pictures = entry.is_directory() && !png_files_in(entry.path()).empty();
    if (is_pictures || (entry.is_regular_file() && is_video_file(entry.path())))
      videos.push_back(video_at(entry.path(), folder));
    return !is_pictures;
  });
  std::ranges::sort(videos, {}, &FolderVideo::name);
  return videos;
}

// "a/./b.mp4" and the full path of a file in the folder both become "a/b.mp4".
std::string name_in(const fs::path& folder, const std::string& listed) {
  const fs::path path(listed);
  const fs::path inside = path.is_absolute() ? path.lexically_relative(fs::absolute(folder).lexically_normal()) : path;
  return inside.lexically_normal().generic_string();
}

Captions captions_of_list(const fs::path& folder, const fs::path& list) {
  Captions captions;
  for (const auto& [file, caption] : read_captions(list)) {
    const auto [found, is_new] = captions.emplace(name_in(folder, file), caption);
    SGF_CHECK(is_new || found->second == caption, "{}: {} has two captions", list.string(), found->first);
  }
  return captions;
}

// Collects all text files below the folder, under the name of the video beside them. A file that is not text only
// affects that video.
Captions captions_beside(const fs::path& folder, const std::vector<FolderVideo>& videos, VideoFolder& found) {
  std::map<fs::path, std::vector<std::string>> waiting;  // a.mp4 and a.mov share a.txt
  for (const FolderVideo& video : videos)
    waiting[fs::is_directory(video.path) ? fs::path(video.path).concat(".txt")
                                         : fs::path(video.path).replace_extension(".txt")]
        .push_back(video.name);
  Captions captions;
  walk(folder, [&](const fs::directory_entry& entry) {
    if (leads_nowhere(entry)) return false;
    if (entry.path().extension() != ".txt" || !entry.is_regular_file()) return true;
    const auto of = waiting.find(entry.path());
    if (of == waiting.end()) {
      captions[entry.path().lexically_relative(folder).generic_string()] = "";
      return true;
    }
    try {
      const std::string caption = trimmed(read_text_file(entry.path(), "captions"));
      for (const std::string& name : of->second) captions[name] = caption;
    } catch (const Error& error) {
      for (const std::string& name : of->second) found.unreadable[name] = error.what();
    }
    return true;
  });
  return captions;
}

// Manifests and marks are JSON, which cannot represent such a name.
void leave_out_unnameable(std::vector<FolderVideo>& videos, VideoFolder& found) {
  std::erase_if(videos, [&](const FolderVideo& video) {
    if (is_utf8(video.name)) return false;
    found.unreadable[in_quotes(video.name)] = "its name is not UTF-8; rename the file";
    return true;
  });
}

}  // namespace

VideoFolder read_video_folder(const fs::path& folder, const fs::path& list) {
  VideoFolder found;
  std::vector<FolderVideo> videos = videos_in(folder, found);
  SGF_CHECK(!videos.empty(),
            "{}: contains no videos; expected .mp4, .mov, .mkv, .webm and others, or folders of PNG files",
            folder.string());
  leave_out_unnameable(videos, found);
  Captions captions = list.empty() ? captions_beside(folder, videos, found) : captions_of_list(folder, list);
  for (FolderVideo& video : videos) {
    if (found.unreadable.contains(video.name)) continue;
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
  for (const auto& [name, why] : found.unreadable) captions.erase(name);
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
