// A sample video for viewing: a strip of frames, and a video file if the build can write one.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>

namespace sgf {

// Writes STEM.png, seven moments in a row, and STEM.mp4, from frames [F, 3, H, W] in [0, 1]. Small frames are enlarged
// so that they are visible and keep their colours in 4:2:0.
void write_sample(const std::filesystem::path& stem, const at::Tensor& video, double fps = 16);

}  // namespace sgf
