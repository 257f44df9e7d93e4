// Reads the metadata that `sgf generate` embeds in its videos.
#pragma once

#include "sgf/streaming/generate_order.h"

#include <filesystem>
#include <optional>
#include <string>

namespace sgf {

// The order in the metadata of an mp4 file or a folder of PNG files; nullopt if it has none or cannot be read.
std::optional<GenerateOrder> order_in_video(const std::filesystem::path& video);

struct VideoPrompt {
  std::string prompt;
  std::string world;  // preset of the built-in world; empty for other videos
};

// The prompt of that order. Throws Error if the video has several prompts.
std::optional<VideoPrompt> prompt_in_video(const std::filesystem::path& video);

}  // namespace sgf
