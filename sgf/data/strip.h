// A video as one picture: frames side by side, in order of time.
#pragma once

#include "sgf/data/png.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace sgf {

struct StripSettings {
  int64_t columns = 7;  // frames shown, spread over the whole video
  int64_t height = 64;  // small frames are enlarged by a whole factor to at least this many pixels
};

// `video` is [F, 3, H, W] in [0, 1]; what leaves that range is clamped.
RgbImage make_strip(const at::Tensor& video, const StripSettings& settings = {});

}  // namespace sgf
