// Everything that decides what a video shows, but for how long. It is written into the video, and is enough to make it
// again. Torch-free.
#pragma once

#include "sgf/config/config.h"
#include "sgf/streaming/prompt_timeline.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

struct GenerateOrder {
  Config config;               // network, window, schedule, size, seed, device and precision
  std::string model;           // weights: a file, a folder of them, or a run folder
  std::string model_identity;  // of those weights, see weight_identity
  std::string wan;             // folder with text encoder and VAE; empty: the built-in world's own
  std::vector<TimedPrompt> prompts;
  std::string negative;
  double guidance = 1;
  PromptSwitch on_switch = PromptSwitch::kKeep;
  std::string image;       // shown first; empty: none
  std::string video;       // whose end is shown first; empty: none
  std::string build;       // of the program
  int64_t number = 0;      // which of several videos of the seed
  int64_t enlarge = 1;     // pixels of the file a pixel, along a side
  int64_t crf = 16;        // of H.264
  int64_t save_every = 0;  // blocks between two saved states, where the video's coding begins anew; 0: none
  int64_t threads = 0;     // of the CPU, which decide how sums are rounded; 0: not known, as in files of version 0.1.0

  bool operator==(const GenerateOrder&) const = default;
};

nlohmann::json to_json(const GenerateOrder& order);
// An Error names what is missing or of the wrong kind; `source` stands in it.
GenerateOrder order_from_json(const nlohmann::json& json, const std::string& source);

// The order in a file's note; nothing where the text is no JSON or speaks of something else.
std::optional<GenerateOrder> find_order(std::string_view text, const std::string& source);

// 16 hexadecimal digits that are equal for orders without differences(), and for no others.
std::string mark_of(const GenerateOrder& order);

// Where two orders differ, as "seed: 7 there, 8 here"; builds and CPU threads may, and the weights may have moved.
std::vector<std::string> differences(const GenerateOrder& there, const GenerateOrder& here);

}  // namespace sgf
