// Conversion between tensors of frames and the bytes of files. A value x in [0, 1] is stored as floor(255 clamp(x) +
// 0.5) and read back as byte / 255, by every writer and reader.
#pragma once

#include "sgf/media/frame_source.h"
#include "sgf/media/video_writer.h"

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

// Images from [F, 3, H, W] of any float type on any device.
std::vector<RgbImage> images_of(const at::Tensor& video);

// One image as [3, H, W] float32 in [0, 1].
at::Tensor tensor_of(const RgbImage& image);

// Each pixel of [F, 3, H, W] becomes scale x scale pixels: small frames stay visible and survive 4:2:0.
at::Tensor enlarge(const at::Tensor& video, int64_t scale);
// The inverse: the mean over each scale x scale; also for one frame, [3, H, W].
at::Tensor shrink(const at::Tensor& video, int64_t scale);

// Appends all frames of [F, 3, H, W].
void add_frames(VideoWriter& writer, const at::Tensor& video);

// Writes `DIR/frame_00000.png` and so on; the first frame gets the number `first`.
void write_png_frames(const std::filesystem::path& folder, const at::Tensor& video, int64_t first = 0);

// Whether write_png_frames gives this name.
bool is_png_frame(const std::string& name);

}  // namespace sgf
