// Sizes of memory and files as people read them.
#pragma once

#include <cstdint>

namespace sgf {

constexpr double kGib = static_cast<double>(int64_t{1} << 30);  // bytes

constexpr double gib_of(int64_t bytes) { return static_cast<double>(bytes) / kGib; }

}  // namespace sgf
