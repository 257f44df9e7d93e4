// Many videos streamed as one batch, of which only the watched frames are kept.
#pragma once

#include "lab/study/watched_frames.h"
#include "sgf/media/video_codec.h"
#include "sgf/streaming/latent_stream.h"

#include <functional>

namespace sgf {

// Noise of videos `first`, `first` + 1, ...: each as stream_noise gives it to that video alone.
BlockNoise stream_noise_of(uint64_t seed, int64_t first, int64_t videos, std::array<int64_t, 3> latent,
                           c10::Device device);

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
