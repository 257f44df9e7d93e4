// The demo's videos as files and pictures: together in one mp4, alone, and as moments side by side.
#pragma once

#include "sgf/media/png.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

// Videos of one prompt, a contestant each: [F, 3, H, W] in [0, 1], all of one size.
struct SideBySide {
  std::string prompt;
  std::vector<std::string> names;
  std::vector<at::Tensor> videos;
  int64_t train_frames = 21;
  double fps = 16;
};

// All next to each other in an mp4 file, enlarged, over a bar that shows the time and where the training length ends.
// Gives back whether browsers play it (H.264).
bool write_together(const std::filesystem::path& path, const SideBySide& all);

// One video enlarged in the same way, an mp4 file.
void write_alone(const std::filesystem::path& path, const at::Tensor& video, double fps);

// The prompt above rows of named contestants and columns of moments from the first to the last.
RgbImage draw_moments(const SideBySide& all);

// Below each other, on white.
RgbImage stack_images(const std::vector<RgbImage>& images);

}  // namespace sgf
