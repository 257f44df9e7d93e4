// A stream on disk, in the middle of a video: what `--continue` goes on from.
#pragma once

#include "sgf/streaming/run_stream.h"
#include "sgf/streaming/stream_note.h"

#include <filesystem>

namespace sgf {

struct SavedStream {
  StreamNote note;
  StreamSnapshot snapshot;
};

// Crash-safe: an earlier one stays until the new one is whole.
void save_stream(const std::filesystem::path& path, const SavedStream& stream);
SavedStream load_stream(const std::filesystem::path& path);
// What it says beside its tensors, which are not read.
StreamNote load_stream_note(const std::filesystem::path& path);

}  // namespace sgf
