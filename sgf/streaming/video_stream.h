// A video as frames, for as long as they are asked for: what a program needs that shows or stores them itself.
#pragma once

#include "sgf/media/png.h"
#include "sgf/streaming/prompt_timeline.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sgf {

struct VideoStreamSettings {
  std::filesystem::path model;   // bundled model, training run, or weight file; a folder brings its config.yaml
  std::filesystem::path config;  // YAML file with window, schedule and size; empty: config.yaml of the model's folder
  std::filesystem::path wan;     // Wan folder with text encoder and VAE; empty for models of the built-in world
  std::vector<TimedPrompt> prompts;  // first at 0 seconds; empty: the built-in world draws a prompt from the seed
  PromptSwitch on_switch = PromptSwitch::kKeep;
  int64_t seed = 0;
  std::string device = "auto";                   // auto, cpu or cuda; a CPU computes in float32
  std::function<void(const std::string&)> warn;  // told of prompts that are too long; may be empty
};

class VideoStream {
 public:
  // Loads all weights. An Error says what is missing.
  explicit VideoStream(const VideoStreamSettings& settings);
  VideoStream(VideoStream&&) noexcept;
  VideoStream& operator=(VideoStream&&) noexcept;
  ~VideoStream();

  // The frames of the next block. A stream has no end, and its memory stays the same.
  std::vector<RgbImage> next();

  double fps() const;
  const std::vector<TimedPrompt>& prompts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sgf
