// The random numbers of a step of distribution-matching training.
#pragma once

#include "sgf/objectives/distribution_matching.h"
#include "sgf/rollout/denoise_block.h"
#include "sgf/schedule/flow_schedule.h"

#include <cstdint>
#include <vector>

namespace sgf {

// The steps at which rollouts may stop.
struct ExitRange {
  int64_t first = 1;
  int64_t last = 1;
};

// What the step's random numbers hang on. A sample's numbers belong to its global index: they do not change with the
// batch it was put in, the rank that runs it or where a run was resumed.
struct DmdDraws {
  uint64_t seed = 0;
  int64_t step = 0;
  int64_t first_sample = 0;  // global index of the batch's first sample within this step

  // One exit for all samples of the step; generator and critic rollouts draw their own.
  int64_t generator_exit(ExitRange range) const;
  int64_t critic_exit(ExitRange range) const;
  // One a sample, `count` of them.
  std::vector<int64_t> generator_exits(ExitRange range, int64_t count) const;
  std::vector<int64_t> critic_exits(ExitRange range, int64_t count) const;

  BlockNoise generator_noise(at::IntArrayRef latent, at::TensorOptions options) const;  // latent [B, F, C, H, W]
  BlockNoise critic_noise(at::IntArrayRef latent, at::TensorOptions options) const;
  // By one of `times` a sample.
  ScoreDraw score(at::IntArrayRef latent, at::TensorOptions options, const std::vector<ScoreTimes>& times) const;
  ScoreDraw critic_score(at::IntArrayRef latent, at::TensorOptions options, const std::vector<ScoreTimes>& times) const;
};

}  // namespace sgf
