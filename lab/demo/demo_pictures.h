// Writes the demo's videos: side by side in one mp4, alone, and as a figure of moments.
#pragma once

#include "sgf/media/png.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

// The videos of one prompt, one per contestant: [F, 3, H, W] in [0, 1], all of the same size.
struct SideBySide {
  std::string prompt;
  std::vector<std::string> names;
  std::vector<at::Tensor> videos;
  int64_t train_frames = 21;
  double fps = 16;
};

// Writes all videos side by side to an mp4 file, upscaled, over a bar with the time and the end of the training length.
// Returns whether browsers can play it (H.264).
bool write_together(const std::filesystem::path& path, const SideBySide& all);

// Writes one video, upscaled in the same way, to an mp4 file.
void write_alone(const std::filesystem::path& path, const at::Tensor& video, double fps);

// The prompt above rows of named contestants and columns of moments from the first to the last.
RgbImage draw_moments(const SideBySide& all);

// Below each other, on white.
RgbImage stack_images(const std::vector<RgbImage>& images);

}  // namespace sgf
