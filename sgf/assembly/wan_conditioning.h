// Text encoder and VAE of a Wan folder, checked against the network that uses them.
#pragma once

#include "sgf/config/config.h"
#include "sgf/core/log.h"
#include "sgf/media/video_codec.h"
#include "sgf/text/embedding_cache.h"
#include "sgf/text/text_encoder.h"

#include <c10/core/Device.h>

#include <filesystem>
#include <memory>
#include <string>

namespace sgf {

struct WanSource {
  std::filesystem::path folder;
  c10::Device device = c10::Device("cpu");
  Log warn = {};  // for truncated prompts and an unusable cache
  EmbeddingCache::Use cache_use = EmbeddingCache::Use::kReadAndAdd;
};

// Embeddings are cached on disk: a prompt seen before does not need the encoder. Others go through it layer by layer,
// so that it never stays on the device beside the networks.
std::shared_ptr<const TextEncoder> wan_text(const WanSource& source, const Config& config);
std::shared_ptr<const VideoCodec> wan_codec(const WanSource& source, const Config& config);

}  // namespace sgf
