// Generates the frames of a video of any length, for programs that show or store them.
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
  std::filesystem::path model;   // bundled model, training run, or weight file; a folder must hold config.yaml
  std::filesystem::path config;  // YAML file with window, schedule and size; empty: config.yaml of the model's folder
  std::filesystem::path wan;     // Wan folder with text encoder and VAE; empty for models of the built-in world
  std::vector<TimedPrompt> prompts;  // first at 0 seconds; empty: a prompt of the built-in world, drawn from the seed
  PromptSwitch on_switch = PromptSwitch::kKeep;
  int64_t seed = 0;
  std::string device = "auto";                   // auto, cpu or cuda; a CPU computes in float32
  std::function<void(const std::string&)> warn;  // called for prompts that are too long; may be empty
};

class VideoStream {
 public:
  // Loads all weights. Throws if a file is missing.
  explicit VideoStream(const VideoStreamSettings& settings);
  VideoStream(VideoStream&&) noexcept;
  VideoStream& operator=(VideoStream&&) noexcept;
  ~VideoStream();

  // The frames of the next block. A stream has no end; its memory does not grow.
  std::vector<RgbImage> next();

  double fps() const;
  const std::vector<TimedPrompt>& prompts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sgf
