// Videos at a glance: one picture with a row a video and a column a moment.
#pragma once

#include "sgf/media/png.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace sgf {

// Which frames of a video a strip shows: first, last and evenly between; all of a shorter video.
std::vector<int64_t> strip_moments(int64_t frames, int64_t columns);

// Rows of [F, 3, H, W], all of one size. Each pixel becomes scale x scale of them, gaps of two pixels between pictures.
RgbImage picture_strip(const std::vector<at::Tensor>& rows, int64_t scale);

// The same of whole videos: each row its `columns` moments.
RgbImage strip_of_videos(const std::vector<at::Tensor>& videos, int64_t columns, int64_t scale);

}  // namespace sgf
