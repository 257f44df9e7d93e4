// The network, the text encoder and the codec that an order asks for.
#pragma once

#include "sgf/media/video_codec.h"
#include "sgf/streaming/generate_order.h"
#include "sgf/streaming/given_frames.h"
#include "sgf/streaming/stream_session.h"
#include "sgf/text/embedding_cache.h"
#include "sgf/text/text_encoder.h"

#include <functional>
#include <memory>
#include <string>

namespace sgf {

struct StreamParts {
  c10::Device device = c10::Device("cpu");
  std::shared_ptr<const CausalDit> dit;
  std::shared_ptr<const TextEncoder> text;
  std::shared_ptr<const VideoCodec> codec;
};

// `warn` hears of prompts that are cut and of a cache that cannot be used.
StreamParts build_parts(const GenerateOrder& order, const std::function<void(const std::string&)>& warn = {},
                        EmbeddingCache::Use cache_use = EmbeddingCache::Use::kReadAndAdd);

// How latents and pictures count, without any weights: the world's codec, or Wan's.
struct CodecShape {
  int64_t spatial = 8;   // pixels a latent pixel, along a side
  int64_t temporal = 4;  // pictures a latent after the first, which is one

  int64_t pictures(int64_t latents) const { return latents == 0 ? 0 : 1 + (latents - 1) * temporal; }
};
CodecShape codec_shape(const Config& config);

LatentStreamSettings latent_settings(const GenerateOrder& order);
StreamSettings stream_settings(const GenerateOrder& order);
PictureSize picture_size(const Config& config);

// Prompts through the text encoder, as the stream reads them.
std::vector<StreamScene> encode_scenes(const GenerateOrder& order, const StreamParts& parts);

// Latents of the order's picture or video; undefined where it has none.
at::Tensor given_of(const GenerateOrder& order, const StreamParts& parts);

// The smallest number of blocks that show so many seconds, and the pictures of so many blocks.
int64_t blocks_for(double seconds, const Config& config);
int64_t pictures_for(int64_t blocks, const Config& config);

}  // namespace sgf
