// Uniform choices of training: which timestep, which stored state. Each is drawn from its sample's own key.
#pragma once

#include "sgf/core/frame_span.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace sgf {

struct ChoiceDraws {
  uint64_t seed = 0;
  int64_t sample = 0;  // number of the first one
  int64_t count = 1;
  int64_t choices = 1;
  bool is_per_block = false;  // one per block; false: one per sample
};

// [count, F] int64: what each frame of the samples uses, from 0 to choices - 1.
at::Tensor draw_choices(const ChoiceDraws& draws, const BlockLayout& layout);

}  // namespace sgf
