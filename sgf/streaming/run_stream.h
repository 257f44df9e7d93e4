// Streams blocks until a length is reached, all stages overlapped.
#pragma once

#include "sgf/streaming/block_pipeline.h"

#include <functional>

namespace sgf {

struct StreamRunSettings {
  int64_t blocks = 0;                      // in total, with those before a snapshot
  int64_t snapshot_every = 0;              // blocks; 0: never
  bool decodes = true;                     // false: latents only, pictures are empty
  std::function<bool()> should_stop = {};  // called after every block; if true, the last block carries a snapshot
};

// `deliver` is called in order, from a separate thread. An Error in any of the three stages ends all and is thrown
// here.
StreamSpeed run_stream(SceneStream& latents, DecoderStream& decoder, const StreamRunSettings& settings,
                       const std::function<void(const DeliveredBlock&)>& deliver);

}  // namespace sgf
