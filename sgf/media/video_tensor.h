// Between tensors of pictures and the bytes of files. A value x in [0, 1] is stored as floor(255 clamp(x) + 0.5) and
// read back as byte / 255: whoever writes, so.
#pragma once

#include "sgf/media/frame_source.h"
#include "sgf/media/video_writer.h"

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <vector>

namespace sgf {

// [F, 3, H, W] of any float type on any device, as pictures.
std::vector<RgbImage> images_of(const at::Tensor& video);

// One picture as [3, H, W] float32 in [0, 1].
at::Tensor tensor_of(const RgbImage& image);

// Each pixel of [F, 3, H, W] becomes scale x scale of them: small pictures survive 4:2:0 and can be seen.
at::Tensor enlarge(const at::Tensor& video, int64_t scale);
// And back, by the mean over each scale x scale; also of one picture, [3, H, W].
at::Tensor shrink(const at::Tensor& video, int64_t scale);

// Appends all pictures of [F, 3, H, W].
void add_frames(VideoWriter& writer, const at::Tensor& video);

// `DIR/frame_00000.png` and so on; the first picture gets the number `first`.
void write_png_frames(const std::filesystem::path& folder, const at::Tensor& video, int64_t first = 0);

// All pictures that are left, [F, 3, H, W] float32 in [0, 1]: for videos that fit in memory.
at::Tensor read_frames(FrameSource& source);
at::Tensor read_video(const std::filesystem::path& path);  // a video file or a folder of PNG files

}  // namespace sgf
