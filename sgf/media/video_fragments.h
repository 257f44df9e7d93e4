// The content of an mp4 file that grows in place, found from its boxes alone: no decoder, no FFmpeg.
#pragma once

#include "sgf/media/sink_place.h"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <vector>

namespace sgf {

// Up to the end of the last complete fragment. An incomplete fragment after it, which a kill may leave, is not counted.
struct GrownVideo {
  int64_t head_bytes = 0;  // before the first fragment: the file type and the note
  int64_t bytes = 0;
  int64_t pictures = 0;
  int64_t last_fragment = 0;              // its number, starting at 1; 0 if there is none
  std::vector<SinkPlace> fragments = {};  // frames and bytes of the file up to the end of each
  // Frames outside of fragments, as in ordinary mp4 files: another program made or edited this one.
  bool has_other_frames = false;
};

// nullopt if the file is not an mp4 file or is cut off within its header.
std::optional<GrownVideo> find_grown_video(const std::filesystem::path& path,
                                           int64_t limit = std::numeric_limits<int64_t>::max());

// Counts the frames that VideoReader reads from a file that VideoWriter grows in place, up to `limit` bytes. Throws an
// Error that names the file if it is not an mp4 file or is cut off within its header. An ordinary mp4 file has no
// fragments, so its count is 0.
GrownVideo scan_grown_video(const std::filesystem::path& path, int64_t limit = std::numeric_limits<int64_t>::max());

}  // namespace sgf
