// Generates one video, from an order to a file, for `sgf generate` and `sgf redo`.
#pragma once

#include "sgf/streaming/run_stream.h"
#include "sgf/streaming/stream_parts.h"
#include "sgf/streaming/video_claim.h"

#include <cstdint>

namespace sgf {

struct GenerateResult {
  StreamSpeed speed;
  int64_t blocks = 0;  // of the video, earlier starts included
  int64_t pictures = 0;
  int64_t resumed_from = 0;  // frames from an earlier start; 0: none
  bool is_whole = false;     // false: stopped, can be continued
};

// Generates a video of this many blocks. Checks everything before it changes a file.
GenerateResult generate_video(const GenerateOrder& order, const StreamParts& parts, int64_t blocks,
                              const GenerateOutput& output);

}  // namespace sgf
