// The work of a config's network, from which the number of CPU threads is chosen. Torch-free.
#pragma once

#include "sgf/config/settings.h"

#include <cstdint>

namespace sgf {

// Multiply-adds of the largest matrix product in a layer: for one block of one stream, and for a batch of `clips` whole
// clips.
double work_of_block(const Config& config);
double work_of_clips(const Config& config, int64_t clips);

}  // namespace sgf
