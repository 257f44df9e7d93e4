// The settings of the context: blocks, window and positions, in latent frames. Torch-free.
#pragma once

#include "sgf/context/context_policy.h"
#include "sgf/context/position_rule.h"
#include "sgf/core/frame_span.h"

#include <cstdint>
#include <optional>

namespace sgf {

// Which history a block sees.
struct ContextSettings {
  int64_t sink_frames = 4;
  int64_t fifo_frames = 16;
  int64_t block_frames = 1;
  std::optional<int64_t> first_block_frames;
  PositionKind positions = PositionKind::kAbsolute;
  int64_t train_frames = 21;

  int64_t first_block() const { return first_block_frames.value_or(block_frames); }
  ContextPolicy policy() const { return {.sink_frames = sink_frames, .fifo_frames = fifo_frames}; }
  BlockLayout layout(int64_t frames) const { return BlockLayout(frames, block_frames, first_block()); }

  // The RoPE time positions of a stream's frames; training always uses absolute positions.
  PositionRule position_rule() const { return {positions, train_frames}; }

  bool operator==(const ContextSettings&) const = default;
};

template <class V>
void describe(V& v, ContextSettings& c) {
  v.field("sink_frames", c.sink_frames, "sink in latent frames: the first frames, which stay visible, 0 or more");
  v.field("fifo_frames", c.fifo_frames,
          "FIFO window in latent frames before the block, without sink and block, 0 or more");
  v.field("block_frames", c.block_frames, "latent frames denoised together: 1 frame-wise, 3 chunk-wise");
  v.field("first_block_frames", c.first_block_frames, "latent frames of the first block; null = block_frames");
  v.field("positions", c.positions, "RoPE positions while streaming; training always uses absolute");
  v.field("train_frames", c.train_frames, "number of RoPE positions seen in training, which top_aligned never exceeds");
}

}  // namespace sgf
