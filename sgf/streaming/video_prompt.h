// What a video of `sgf generate` says it was asked to show.
#pragma once

#include "sgf/streaming/generate_order.h"

#include <filesystem>
#include <optional>
#include <string>

namespace sgf {

// The order in the note of an mp4 or of a folder of PNG files. Nothing where there is none, or where the file cannot be
// read: whoever opens it says why.
std::optional<GenerateOrder> order_in_video(const std::filesystem::path& video);

struct VideoPrompt {
  std::string prompt;
  std::string world;  // the built-in world it is of; empty: none
};

// Of that order. A video whose prompt changes has no one prompt, which is an Error.
std::optional<VideoPrompt> prompt_in_video(const std::filesystem::path& video);

}  // namespace sgf
