// One video, from an order to a file: what `sgf generate` and `sgf redo` do.
#pragma once

#include "sgf/streaming/run_stream.h"
#include "sgf/streaming/stream_parts.h"
#include "sgf/streaming/video_claim.h"

#include <cstdint>

namespace sgf {

struct GenerateResult {
  StreamSpeed speed;
  int64_t blocks = 0;  // of the video, with those of earlier starts
  int64_t pictures = 0;
  int64_t resumed_from = 0;  // pictures that an earlier start had left; 0: none
  bool is_whole = false;     // false: stopped, and can be gone on with
};

// A video of so many blocks. Everything that could refuse it is looked at before a file is changed.
GenerateResult generate_video(const GenerateOrder& order, const StreamParts& parts, int64_t blocks,
                              const GenerateOutput& output);

}  // namespace sgf
