// Values that follow from several settings: the blocks of the video, and the shape of a latent frame. Torch-free.
#pragma once

#include "sgf/config/config.h"
#include "sgf/core/frame_span.h"

#include <cstdint>
#include <vector>

namespace sgf {

// Number of sample videos if the config names no sample prompts.
constexpr int64_t kSamplePrompts = 4;

BlockLayout layout_of(const Config& config);

// Shape of a latent frame: [C, H, W].
std::vector<int64_t> latent_shape(const Config& config);

}  // namespace sgf
