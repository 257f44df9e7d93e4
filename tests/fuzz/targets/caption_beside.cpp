// The text file beside a video, which holds its caption.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "sgf/dataset/video_folder.h"
#include "sgf/files/text_file.h"

namespace sgf::fuzz {
namespace {

void read(std::string_view input) {
  [[maybe_unused]] static const auto video = scratch_file("captioned/a.mp4", "frames");
  scratch_file("captioned/a.txt", input);
  const VideoFolder found = read_video_folder(scratch_folder() / "captioned", "");
  must(found.videos.size() + found.uncaptioned.size() + found.unreadable.size() == 1, "a video is listed once");
  for (const FolderVideo& one : found.videos)
    must(is_utf8(one.caption) && !one.caption.empty() && trimmed(one.caption) == one.caption, "a caption is a text");
  for (const auto& [name, reason] : found.unreadable)
    must(reason.find("a.txt") != std::string::npos, "a refusal names the file");
}

const Registered target("caption_beside", read);

}  // namespace
}  // namespace sgf::fuzz
