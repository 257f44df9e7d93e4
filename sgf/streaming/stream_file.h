// A stream on disk, in the middle of a video: what `--continue` goes on from.
#pragma once

#include "sgf/streaming/frame_sink.h"
#include "sgf/streaming/generate_order.h"
#include "sgf/streaming/run_stream.h"

#include <filesystem>

namespace sgf {

struct SavedStream {
  GenerateOrder order;
  StreamSnapshot snapshot;
  SinkPlace pictures;
  SinkPlace latents;  // of the latents' file, where one is written
};

// Crash-safe: an earlier one stays until the new one is whole.
void save_stream(const std::filesystem::path& path, const SavedStream& stream);
SavedStream load_stream(const std::filesystem::path& path);

}  // namespace sgf
