// The network, the text encoder and the codec of an order.
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

// `warn` reports truncated prompts and an unusable cache.
StreamParts build_parts(const GenerateOrder& order, const std::function<void(const std::string&)>& warn = {},
                        EmbeddingCache::Use cache_use = EmbeddingCache::Use::kReadAndAdd);

// The same in two steps, so that prompts can be encoded before the network is loaded: first all but the network.
StreamParts build_conditioning_parts(const GenerateOrder& order, c10::Device device,
                                     const std::function<void(const std::string&)>& warn,
                                     EmbeddingCache::Use cache_use);
void add_network(StreamParts& parts, const GenerateOrder& order);

LatentStreamSettings latent_settings(const GenerateOrder& order);
StreamSettings stream_settings(const GenerateOrder& order);
PictureSize picture_size(const Config& config);

// Encodes the prompts for the stream.
std::vector<StreamScene> encode_scenes(const GenerateOrder& order, const StreamParts& parts);

// Latents of the order's image or video; undefined if it has none.
at::Tensor given_of(const GenerateOrder& order, const StreamParts& parts);

// The smallest number of blocks for this many seconds, and the number of frames of this many blocks.
int64_t blocks_for(double seconds, const Config& config);
int64_t pictures_for(int64_t blocks, const Config& config);

}  // namespace sgf
