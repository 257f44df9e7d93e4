// The text encoder, the codec, and the sample prompts of a run.
#pragma once

#include "sgf/config/config.h"
#include "sgf/core/log.h"
#include "sgf/media/video_codec.h"
#include "sgf/text/text_encoder.h"

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sgf {

// Numbers of sample clips start here, so that samples never use training clips.
constexpr int64_t kFirstSampleClip = int64_t{1} << 40;

// The parts around the network: prompts to embeddings, latents to frames, and prompts that are not trained on.
struct Conditioning {
  std::shared_ptr<const TextEncoder> text;
  std::shared_ptr<const VideoCodec> codec;
  std::vector<std::string> sample_prompts;
};

// Throws on unmet needs (train_needs.h), prompts with words that the world does not know, and sizes that do not match.
// `warn` reports truncated prompts and an unusable cache.
Conditioning build_conditioning(const Config& config, c10::Device device, const Log& warn = {});

// Captions of the config's built-in world, drawn from run.seed, of the clips from number `first` on.
std::vector<std::string> world_prompts(const Config& config, int64_t first, int64_t count);

// Throws early on a word that the encoder does not know. The message names the file or key and the number of the
// prompt.
void check_words(const TextEncoder& text, const std::vector<std::string>& prompts, const std::string& source = {});

}  // namespace sgf
