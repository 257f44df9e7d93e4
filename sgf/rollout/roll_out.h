// Pass 1: the video, block by block, without gradient, recorded at the exit step.
#pragma once

#include "sgf/rollout/denoise_block.h"
#include "sgf/rollout/exit_record.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace sgf {

// Counted from 1. One for all samples, so that every rank does equal work and nothing past it is computed; or one a
// sample, and then all steps are run.
class ExitSteps {
 public:
  ExitSteps(int64_t shared) : steps_{shared} {}  // NOLINT: a number is an exit
  explicit ExitSteps(std::vector<int64_t> per_sample) : steps_(std::move(per_sample)), shared_(false) {}

  bool is_shared() const { return shared_; }
  const std::vector<int64_t>& steps() const { return steps_; }
  int64_t of(int64_t sample) const { return shared_ ? steps_.front() : steps_.at(static_cast<size_t>(sample)); }
  int64_t latest() const { return *std::ranges::max_element(steps_); }

 private:
  std::vector<int64_t> steps_;
  bool shared_ = true;
};

// Which of a block's predictions later blocks see.
enum class CacheLatents {
  kExit,        // that of the exit step
  kFinalClean,  // that of the last step: all are run, and the exit step only says what is recorded
};

struct RolloutSettings {
  ContextPolicy policy;
  BlockLayout layout;
  std::vector<double> timesteps;  // the student's warped list, noisiest first
  CacheLatents cache = CacheLatents::kExit;
  PositionRule positions;  // absolute in training: Pass 2 knows no other
};

// Every block is denoised and written to the cache at t = 0. `given` [B, n, C, H, W], where it is defined, are the
// first blocks (an image, the end of another video): written, never generated.
ExitRecord roll_out(const CausalDit& dit, const PromptText& text, const RolloutSettings& settings,
                    const ExitSteps& exits, const BlockNoise& noise, const at::Tensor& given = {});

}  // namespace sgf
