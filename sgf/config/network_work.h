// How much a config's network computes at once, by which its CPU threads are chosen. Torch-free.
#pragma once

#include "sgf/config/settings.h"

#include <cstdint>

namespace sgf {

// Multiply-adds of the largest product in a layer, for one block of one stream, and for so many whole clips at once.
double work_of_block(const Config& config);
double work_of_clips(const Config& config, int64_t clips);

}  // namespace sgf
