// What several settings of a config say together: the blocks of its video, and the shape of a latent frame. Torch-free.
#pragma once

#include "sgf/config/config.h"
#include "sgf/core/frame_span.h"

#include <cstdint>
#include <vector>

namespace sgf {

// Sample videos a run shows where the config names no prompts for them.
constexpr int64_t kSamplePrompts = 4;

BlockLayout layout_of(const Config& config);

// Of a latent frame: [C, H, W].
std::vector<int64_t> latent_shape(const Config& config);

}  // namespace sgf
