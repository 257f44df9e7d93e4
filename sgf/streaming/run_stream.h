// Overlaps denoising, decoding and delivery: while block n is decoded, block n + 1 is denoised, and block n - 1 is
// encoded and written. The output equals that of running the three in sequence.
#pragma once

#include "sgf/streaming/stream_session.h"
#include "sgf/streaming/stream_speed.h"

#include <functional>
#include <optional>

namespace sgf {

// Everything needed to continue a stream after a block, on the CPU.
struct StreamSnapshot {
  NamedTensors latents;
  NamedTensors decoder;
};

// Throws on latents with NaN or infinity, whose frames would only be black.
void check_finite(const at::Tensor& latents, const std::string& what);

struct DeliveredBlock {
  int64_t index = 0;
  at::Tensor latents;   // [c, C, H, W] float32 on the CPU
  at::Tensor pictures;  // [F, 3, H, W] uint8 on the CPU
  std::optional<StreamSnapshot> snapshot;
};

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
