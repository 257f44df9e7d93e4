// The state of an unfinished video on disk, for `--continue`.
#pragma once

#include "sgf/streaming/run_stream.h"
#include "sgf/streaming/stream_note.h"

#include <filesystem>

namespace sgf {

struct SavedStream {
  StreamNote note;
  StreamSnapshot snapshot;
};

// Crash-safe: the previous state stays until the new one is complete.
void save_stream(const std::filesystem::path& path, const SavedStream& stream);
// Whether a file is a saved stream, intact or not.
bool is_stream_file(const std::filesystem::path& path);
SavedStream load_stream(const std::filesystem::path& path);
// What it says beside its tensors, which are not read.
StreamNote load_stream_note(const std::filesystem::path& path);

}  // namespace sgf
