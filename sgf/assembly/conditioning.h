// What a run is conditioned on and looked at through: the text encoder, the codec, and the prompts of its samples.
#pragma once

#include "sgf/config/config.h"
#include "sgf/core/log.h"
#include "sgf/media/video_codec.h"
#include "sgf/text/text_encoder.h"

#include <c10/core/Device.h>

#include <memory>
#include <string>
#include <vector>

namespace sgf {

// Clips of a run and of its samples never meet: the latter begin here.
constexpr int64_t kFirstSampleClip = int64_t{1} << 40;

// What stands around the network: prompts to text rows, latents to pictures, and prompts nobody trains on.
struct Conditioning {
  std::shared_ptr<const TextEncoder> text;
  std::shared_ptr<const VideoCodec> codec;
  std::vector<std::string> sample_prompts;
};

// Refuses what the config asks for and cannot be had: unmet needs (train_needs.h), prompts out of the world's words,
// sizes that do not fit. `warn` hears of prompts that are cut and of a cache that cannot be used.
Conditioning build_conditioning(const Config& config, c10::Device device, const Log& warn = {});

// A word that the encoder does not know is refused now, not in the middle of the night, and with its place: a file or
// a key, and the number of the prompt in it.
void check_words(const TextEncoder& text, const std::vector<std::string>& prompts, const std::string& source = {});

}  // namespace sgf
