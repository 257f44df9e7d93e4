// Many videos streamed as one batch, of which only the watched frames are kept.
#pragma once

#include "lab/study/watched_frames.h"
#include "sgf/media/video_codec.h"
#include "sgf/streaming/latent_stream.h"

#include <functional>

namespace sgf {

struct PromptStream {
  const CausalDit& dit;
  LatentStreamSettings settings;
  BlockNoise noise;
  at::Tensor text;  // [B, L, text_dim]
  const VideoCodec& codec;
  std::function<void(FrameSpan block)> on_block = {};  // hears of each block that is made
};

// Pictures [B, watched, 3, H, W] in [0, 1], float32 on the host. A codec of one picture a latent is expected.
at::Tensor stream_watched(const PromptStream& stream, const WatchedFrames& watched);

}  // namespace sgf
