// From wishes for videos to their orders: the defaults of everything that was not asked for, and the seed and number of
// each video of a set.
#pragma once

#include "sgf/core/picture_size.h"
#include "sgf/streaming/choose_model.h"
#include "sgf/streaming/generate_order.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

// What is not set has the value of the model's config.
struct VideoWishes {
  std::string wan;                 // folder with text encoder and VAE; empty: see wan_folder_of
  std::vector<std::string> loras;  // FILE or FILE:SCALE
  double seconds = 5;
  std::optional<int64_t> seed;
  std::optional<PictureSize> size;  // whole multiples of size_step
  std::optional<int64_t> steps;     // denoising steps of every block, evenly spaced before the shift
  std::optional<PositionKind> positions;
  std::string negative;
  double guidance = 1;
  PromptSwitch on_switch = PromptSwitch::kKeep;
  std::string image, video;           // shown first
  std::optional<int64_t> enlarge;     // default: enlargement_of
  int64_t crf = 16;                   // H.264 quality
  std::optional<int64_t> save_every;  // in blocks; default: a minute of video
  std::string build;                  // of the program
};

struct VideoPlan {
  GenerateOrder order;  // all but prompts and CPU threads
  int64_t blocks = 0;
};

// The config with the seed, size, steps, positions and negative prompt of the wishes. A notice says if `steps` replaces
// steps of the first block.
Config wished_config(const VideoWishes& wishes, Config config);

// Identifies weights and LoRAs, and makes paths absolute, so that a video can be regenerated from any folder. Throws
// Error for settings that contradict each other and for files that do not fit.
VideoPlan plan_video(const VideoWishes& wishes, const ChosenModel& model);

// The smallest step of width and height in pixels: a patch of the network.
PictureSize size_step(const Config& config);

// `wan`, or the model's own folder where the model is a folder and needs one.
std::string wan_folder_of(const std::string& wan, const std::string& model, const Config& config);

// The factor by which frames of a world reach 128 pixels; 1 for other videos.
int64_t enlargement_of(const Config& config);

// Bytes of the KV cache, and of what a block reads from it.
int64_t stream_cache_bytes(const Config& config);

// Many prompts in a list, and as many samples of each.
struct PromptSet {
  std::vector<std::string> prompts;
  int64_t samples = 1;
  bool same_noise = false;  // for every prompt
};

// One video of the set. Noise is a function of (seed, number). The prompt of line i has the seed `seed` + i, and its
// samples count from 0. With the same noise for all prompts, numbers of a prompt in several lines continue from line to
// line instead.
struct SetVideo {
  int64_t line = 0;
  int64_t sample = 0;  // of the prompt, over all of its lines
  int64_t seed = 0;
  int64_t number = 0;
};

// Line by line. The seed of the last line must be below 2^63.
std::vector<SetVideo> videos_in_set(const PromptSet& set, int64_t seed);
GenerateOrder order_in_set(GenerateOrder pattern, const PromptSet& set, const SetVideo& video);

}  // namespace sgf
