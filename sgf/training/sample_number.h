// One number for (step, sample within the step). It keys the draws of a sample, independent of rank and batch.
#pragma once

#include <cstdint>

namespace sgf {

inline constexpr int64_t kSamplesPerStep = int64_t{1} << 20;

constexpr int64_t sample_number(int64_t step, int64_t sample) { return step * kSamplesPerStep + sample; }

}  // namespace sgf
