// A network that the server streams with: loaded once, shared by all streams.
#pragma once

#include "sgf/streaming/stream_parts.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

struct ServedModel {
  std::string name;
  GenerateOrder defaults;  // all but prompts and seed
  StreamParts parts;
  std::vector<std::string> example_prompts = {};
  std::unique_ptr<std::mutex> encoding = std::make_unique<std::mutex>();  // held while prompts are encoded

  // Throws Error on a prompt that cannot be encoded, as a world's with unknown words.
  std::vector<StreamScene> encode(const GenerateOrder& order) const;
};

// What a client may set in the order of a new stream.
struct StreamWishes {
  std::vector<TimedPrompt> prompts;  // the first at 0
  std::optional<int64_t> seed;       // empty: random
  std::optional<PictureSize> size;
  std::optional<int64_t> steps;
  std::optional<double> guidance;
  std::optional<PromptSwitch> on_switch;
  std::string negative, image;
};

// Throws HttpError if a wish does not fit the model.
GenerateOrder order_for(const ServedModel& model, const StreamWishes& wishes);

// For GET /v1/models; `beside` is the name of the model that can be streamed beside it, if any.
nlohmann::json model_json(const ServedModel& model, const std::string& beside);

// Memory that a stream takes, besides the network: its KV caches, on the model's device, and one state on the host.
struct StreamMemory {
  int64_t device_bytes = 0;
  int64_t state_bytes = 0;
};
StreamMemory memory_of_stream(const ServedModel& model);

}  // namespace sgf
