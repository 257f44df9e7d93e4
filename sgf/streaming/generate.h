// One video, from an order to a file: what `sgf generate` and `sgf redo` do.
#pragma once

#include "sgf/streaming/open_sink.h"
#include "sgf/streaming/run_stream.h"
#include "sgf/streaming/stream_parts.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace sgf {

// Where a video goes, and what is left beside it while it grows.
struct GenerateOutput {
  std::string target;  // as open_sink takes it
  std::optional<SinkKind> format;
  std::filesystem::path latents;               // written beside the pictures; empty: not
  bool resume = false;                         // go on from the saved state where there is one
  bool overwrite = false;                      // pictures of an earlier video there may go
  std::function<void(int64_t)> progress = {};  // pictures so far
  std::function<bool()> should_stop = {};      // asked after every block
};

struct GenerateResult {
  StreamSpeed speed;
  int64_t blocks = 0;  // of the video, with those of earlier starts
  int64_t pictures = 0;
  int64_t resumed_from = 0;  // pictures that an earlier start had left; 0: none
  bool is_whole = false;     // false: stopped, and can be gone on with
};

// The state lies beside the target, and goes when the video is whole.
std::filesystem::path state_file(const GenerateOutput& output);

// A video of so many blocks.
GenerateResult generate_video(const GenerateOrder& order, const StreamParts& parts, int64_t blocks,
                              const GenerateOutput& output);

}  // namespace sgf
