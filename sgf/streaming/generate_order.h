// Everything that determines a video except its length. It is embedded in the video and is enough to regenerate it.
// Torch-free.
#pragma once

#include "sgf/config/config.h"
#include "sgf/streaming/prompt_timeline.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

// A LoRA merged into the weights.
struct OrderLora {
  std::string file;
  double scale = 1;
  std::string identity;  // see lora_identity

  bool operator==(const OrderLora&) const = default;
};

struct GenerateOrder {
  Config config;                 // network, window, schedule, size, seed, device and precision
  std::string model;             // weights: a file, a folder of them, or a run folder
  std::string model_identity;    // identity of those weights, see weight_identity
  std::vector<OrderLora> loras;  // merged into the weights, in this order
  std::string wan;               // folder with text encoder and VAE; empty: those of the built-in world
  std::vector<TimedPrompt> prompts;
  std::vector<SeedChange> seeds;  // after config.run.seed; in order of blocks
  std::string negative;
  double guidance = 1;
  PromptSwitch on_switch = PromptSwitch::kKeep;
  std::string image;       // shown first; empty: none
  std::string video;       // the end of this video is shown first; empty: none
  std::string build;       // of the program
  int64_t number = 0;      // index among several videos of the seed
  int64_t enlarge = 1;     // integer upscale factor
  int64_t crf = 16;        // H.264 quality
  int64_t save_every = 0;  // blocks between two saved states, where the encoding restarts; 0: none
  int64_t threads = 0;     // CPU threads, which affect rounding; 0: unknown, as in files of version 0.1.0

  bool operator==(const GenerateOrder&) const = default;
};

nlohmann::json to_json(const GenerateOrder& order);
// The same as text. Throws if a path or prompt is not UTF-8, which JSON requires.
std::string order_text(const GenerateOrder& order);
// Throws if a value is missing or of the wrong type; `source` names the file in the message.
GenerateOrder order_from_json(const nlohmann::json& json, const std::string& source);

// The order in a file's note; empty if the text is not JSON or holds something else.
std::optional<GenerateOrder> find_order(std::string_view text, const std::string& source);

// A hash of 16 hexadecimal digits, equal exactly for orders without differences().
std::string mark_of(const GenerateOrder& order);

// The differences of two orders, as "seed: 7 in the file, 8 in this command", except build, CPU threads and paths of
// the weights.
std::vector<std::string> differences(const GenerateOrder& there, const GenerateOrder& here);

}  // namespace sgf
