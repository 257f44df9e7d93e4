// Overlaps denoising, decoding and delivery of blocks, of one stream or of several in turns: while block n is decoded,
// block n + 1 is denoised, and block n - 1 is encoded and written. The output equals that of running the three in
// sequence.
#pragma once

#include "sgf/streaming/stream_session.h"
#include "sgf/streaming/stream_speed.h"

#include <c10/core/Device.h>

#include <exception>
#include <functional>
#include <memory>
#include <optional>

namespace sgf {

// Everything needed to continue a stream after a block, on the CPU.
struct StreamSnapshot {
  NamedTensors latents;
  NamedTensors decoder;
};

struct DeliveredBlock {
  int64_t index = 0;
  at::Tensor latents;   // [c, C, H, W] float32 on the CPU
  at::Tensor pictures;  // [F, 3, H, W] uint8 on the CPU
  std::optional<StreamSnapshot> snapshot;
};

// One block of a stream on its way. Blocks of a stream are delivered in order, from a thread of the pipeline.
struct BlockTurn {
  SceneStream* latents = nullptr;
  DecoderStream* decoder = nullptr;
  bool decodes = true;                   // false: latents only, pictures are empty
  std::function<bool()> wants_snapshot;  // asked once the block is denoised
  std::function<void(const DeliveredBlock&)> deliver;
  std::function<void(const BlockTimes&)> timed = {};  // after `deliver`; since_last is not set
  // An error in decoding or delivery. If set, other blocks go on; if not, it ends the pipeline.
  std::function<void(std::exception_ptr)> failed = {};
};

class BlockPipeline {
 public:
  // `prepare` runs in the decoding thread, before its first block.
  explicit BlockPipeline(c10::Device device, std::function<void()> prepare = {});
  ~BlockPipeline();  // waits for the blocks on their way
  BlockPipeline(const BlockPipeline&) = delete;
  BlockPipeline& operator=(const BlockPipeline&) = delete;

  // Denoises the stream's next block in this thread, then waits while the next stage is busy. Returns false once an
  // error has ended the pipeline. An error in denoising is thrown here and does not end it.
  bool denoise(BlockTurn turn);

  // Waits until all blocks are delivered, and throws the error that ended the pipeline. Nothing can follow.
  void finish();
  // The same after an error elsewhere: blocks on their way are dropped.
  void abandon();

 private:
  struct Stages;
  std::unique_ptr<Stages> stages_;
};

// The state after the last block of a session, while none of its blocks is on its way.
StreamSnapshot snapshot_of(StreamSession& session);

// GPU libraries prepare kernels at the first use of a shape. This decodes dummy latents of the first block's shape.
void warm_up_decoder(const SceneStream& latents);

// Throws on latents with NaN or infinity, whose frames would only be black.
void check_finite(const at::Tensor& latents, const std::string& what);

}  // namespace sgf
