// Pictures of a file as tensors, so many at a time.
#pragma once

#include "sgf/media/frame_source.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace sgf {

// The next pictures, at most `most` of them: uint8 [F, H, W, 3] on the CPU, F = 0 after the last.
at::Tensor next_pictures(FrameSource& source, int64_t most);

}  // namespace sgf
