// The random draws of a step of distribution-matching training.
#pragma once

#include "sgf/objectives/distribution_matching.h"
#include "sgf/rollout/denoise_block.h"
#include "sgf/schedule/flow_schedule.h"

#include <cstdint>
#include <vector>

namespace sgf {

enum class UpdateKind { kGenerator, kCritic };

// The steps at which rollouts may exit.
struct ExitRange {
  int64_t first = 1;
  int64_t last = 1;
};

// Whose exit is drawn: a first block with steps of its own has a draw of its own.
enum class ExitBlocks { kAll, kFirst };

// The keys of the step's random draws. A sample's draws depend on its global index, not on its batch, its rank or where
// the run was resumed. The two kinds of updates of a step share no draw.
struct DmdDraws {
  uint64_t seed = 0;
  int64_t step = 0;
  int64_t first_sample = 0;  // global index of the batch's first sample within this step

  // One exit for all samples of the step.
  int64_t exit(UpdateKind kind, ExitRange range, ExitBlocks blocks = ExitBlocks::kAll) const;
  // One per sample, for `count` samples.
  std::vector<int64_t> exits(UpdateKind kind, ExitRange range, int64_t count,
                             ExitBlocks blocks = ExitBlocks::kAll) const;

  BlockNoise noise(UpdateKind kind, at::IntArrayRef latent, at::TensorOptions options) const;  // [B, F, C, H, W]
  // Each sample uses its own entry of `times`.
  ScoreDraw score(UpdateKind kind, at::IntArrayRef latent, at::TensorOptions options,
                  const std::vector<ScoreTimes>& times) const;
};

}  // namespace sgf
