// Text encoder and VAE out of a Wan folder, held against the network that will read and write them.
#pragma once

#include "sgf/config/config.h"
#include "sgf/core/log.h"
#include "sgf/media/video_codec.h"
#include "sgf/text/embedding_cache.h"
#include "sgf/text/text_encoder.h"
#include "sgf/text/umt5_encoder.h"

#include <c10/core/Device.h>

#include <filesystem>
#include <memory>
#include <string>

namespace sgf {

struct WanSource {
  std::filesystem::path folder;
  c10::Device device = c10::Device("cpu");
  // A run meets new prompts at every step, a stream a few before its first block.
  Umt5Residence residence = Umt5Residence::kLayerByLayer;
  Log warn = {};  // hears of prompts that are cut, of a cache that cannot be used
  EmbeddingCache::Use cache_use = EmbeddingCache::Use::kReadAndAdd;
};

// Embeddings are kept on disk: a prompt met before needs no encoder.
std::shared_ptr<const TextEncoder> wan_text(const WanSource& source, const Config& config);
std::shared_ptr<const VideoCodec> wan_codec(const WanSource& source, const Config& config);

}  // namespace sgf
