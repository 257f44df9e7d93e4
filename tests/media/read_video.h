// A whole video as one tensor, for tests that look at what was written.
#pragma once

#include "sgf/media/frame_source.h"
#include "sgf/media/video_tensor.h"

#include <ATen/ATen.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace sgf::testing {

// All frames of a video file or a folder of PNG files, [F, 3, H, W] float32 in [0, 1].
inline at::Tensor read_video(const std::filesystem::path& path) {
  const std::unique_ptr<FrameSource> source = open_frames(path);
  std::vector<at::Tensor> frames;
  while (const std::optional<RgbImage> image = source->next()) frames.push_back(tensor_of(*image));
  return at::stack(frames);
}

}  // namespace sgf::testing
