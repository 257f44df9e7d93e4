// What lies in an mp4 file that grows in place, told from its boxes alone: no decoder, and no FFmpeg.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>

namespace sgf {

// Up to the end of the last whole fragment. A piece of one after it, which a kill may leave, is not counted.
struct GrownVideo {
  int64_t head_bytes = 0;  // before the first fragment: what kind of file it is, and its note
  int64_t bytes = 0;
  int64_t pictures = 0;
  int64_t last_fragment = 0;  // its number; the first is 1, and 0: there is none
};

// Nothing where the file is no mp4 file, or is cut off within its head.
std::optional<GrownVideo> find_grown_video(const std::filesystem::path& path,
                                           int64_t limit = std::numeric_limits<int64_t>::max());

// As many pictures as VideoReader gives from a file that VideoWriter grows in place, up to `limit` bytes. What is no
// mp4 file, or is cut off within its head, is an Error that names it; an ordinary mp4 file has no fragments, and so no
// pictures here.
GrownVideo scan_grown_video(const std::filesystem::path& path, int64_t limit = std::numeric_limits<int64_t>::max());

}  // namespace sgf
