// What a video of `sgf generate` says it was asked to show.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace sgf {

struct VideoPrompt {
  std::string prompt;
  std::string world;  // the built-in world it is of; empty: none
};

// From the note in an mp4 or in a folder of PNG files. Nothing where there is none, or where the file cannot be read:
// whoever opens it says why. A video whose prompt changes has no one prompt, which is an Error.
std::optional<VideoPrompt> prompt_in_video(const std::filesystem::path& video);

}  // namespace sgf
