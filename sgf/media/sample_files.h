// A sample video as people look at it: a strip of pictures, and a video where the build can write one.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>

namespace sgf {

// STEM.png, seven moments in a row, and STEM.mp4, of pictures [F, 3, H, W] in [0, 1]. Small pictures are enlarged so
// that they can be seen, and survive the video's halved colours.
void write_sample(const std::filesystem::path& stem, const at::Tensor& video, double fps = 16);

}  // namespace sgf
