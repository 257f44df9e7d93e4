#include "sgf/training/choice_draws.h"

#include "sgf/core/noise.h"

#include <ATen/ATen.h>

namespace sgf {

at::Tensor draw_choices(const ChoiceDraws& draws, const BlockLayout& layout) {
  at::Tensor index = at::empty({draws.count, layout.frames()}, at::kLong);
  for (int64_t i = 0; i < draws.count; ++i)
    for (int64_t block = 0; block < layout.count(); ++block) {
      const NoiseKey key{.seed = draws.seed,
                         .purpose = NoisePurpose::kTimestep,
                         .sample = draws.sample + i,
                         .block = draws.is_per_block ? block : 0};
      const FrameSpan frames = layout.block(block);
      index[i].slice(0, frames.begin, frames.end).fill_(uniform_index(key, draws.choices));
    }
  return index;
}

}  // namespace sgf
