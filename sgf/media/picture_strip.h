// Videos at a glance: one image with one row per video and one column per moment.
#pragma once

#include "sgf/media/png.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace sgf {

// Which frames of a video a strip shows: the first, the last and evenly spaced ones between; all frames of a shorter
// video.
std::vector<int64_t> strip_moments(int64_t frames, int64_t columns);

// Rows of [F, 3, H, W], all of one size. Each pixel becomes scale x scale pixels, with gaps of two pixels between
// frames.
RgbImage picture_strip(const std::vector<at::Tensor>& rows, int64_t scale);

// The same for whole videos: each row shows `columns` moments.
RgbImage strip_of_videos(const std::vector<at::Tensor>& videos, int64_t columns, int64_t scale);

}  // namespace sgf
