// Streams many videos as one batch and keeps only the watched frames.
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
  std::function<void(FrameSpan block)> on_block = {};  // called after each block
};

// Frames [B, watched, 3, H, W] in [0, 1], float32 on the host. Needs a codec with one frame per latent frame.
at::Tensor stream_watched(const PromptStream& stream, const WatchedFrames& watched);

}  // namespace sgf
