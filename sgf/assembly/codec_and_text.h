// The text encoder and the codec of a config: those of its built-in world, or those of a Wan folder. Training, streams,
// diagnoses and studies all get them here.
#pragma once

#include "sgf/config/config.h"
#include "sgf/core/log.h"
#include "sgf/media/video_codec.h"
#include "sgf/text/embedding_cache.h"
#include "sgf/text/text_encoder.h"

#include <c10/core/Device.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace sgf {

// Where the parts of a model of real videos are, and how they are used. A world needs only the device.
struct PartSource {
  std::filesystem::path wan = {};  // folder with text encoder and VAE
  c10::Device device = c10::Device("cpu");
  Log warn = {};  // for truncated prompts and an unusable cache
  EmbeddingCache::Use cache_use = EmbeddingCache::Use::kReadAndAdd;
};

// A world's embeddings are float32. Those of Wan have the type of the computation and are cached on disk: a prompt seen
// before does not need the encoder. Others go through it layer by layer, so that it never stays on the device beside
// the networks. Throws if the encoder's width is not the one that the network reads.
std::shared_ptr<const TextEncoder> build_text_encoder(const Config& config, const PartSource& source);

// Throws if a VAE's number of channels is not the one that the network reads.
std::shared_ptr<const VideoCodec> build_codec(const Config& config, const PartSource& source);

// The ratio of latents to pixels and frames, without loading weights: the world's codec, or Wan's.
struct CodecShape {
  int64_t spatial = 8;   // pixels per latent pixel, per side
  int64_t temporal = 4;  // frames per latent frame after the first, which is one frame

  int64_t pictures(int64_t latents) const { return latents == 0 ? 0 : 1 + (latents - 1) * temporal; }
};
CodecShape codec_shape(const Config& config);

}  // namespace sgf
