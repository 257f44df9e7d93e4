// Denoising, decoding and delivery beside one another: while block n is decoded, block n + 1 is denoised, and block
// n - 1 encoded and written. What comes out is what the three give in sequence.
#pragma once

#include "sgf/streaming/stream_session.h"
#include "sgf/streaming/stream_speed.h"

#include <functional>
#include <optional>

namespace sgf {

// Everything a stream needs to go on after a block, on the CPU.
struct StreamSnapshot {
  NamedTensors latents;
  NamedTensors decoder;
};

// Refuses latents with NaN or infinity: pictures of them would be black and say nothing.
void check_finite(const at::Tensor& latents, const std::string& what);

struct DeliveredBlock {
  int64_t index = 0;
  at::Tensor latents;   // [c, C, H, W] float32 on the CPU
  at::Tensor pictures;  // [F, 3, H, W] uint8 on the CPU
  std::optional<StreamSnapshot> snapshot;
};

struct StreamRunSettings {
  int64_t blocks = 0;                      // all told, with those made before a snapshot
  int64_t snapshot_every = 0;              // blocks; 0: never
  bool decodes = true;                     // false: latents alone, pictures are empty
  std::function<bool()> should_stop = {};  // asked after every block; the last one then carries a snapshot
};

// `deliver` is called in order, from a thread of its own. An Error of any of the three ends all and is thrown here.
StreamSpeed run_stream(SceneStream& latents, DecoderStream& decoder, const StreamRunSettings& settings,
                       const std::function<void(const DeliveredBlock&)>& deliver);

}  // namespace sgf
