// Pass 1 refuses what it cannot do, and its record what Pass 2 could not repeat.
#include "sgf/rollout/roll_out.h"

#include "sgf/core/error.h"
#include "tests/model/tiny_dit.h"

#include <gtest/gtest.h>

namespace sgf {
namespace {

using testing::draw;
using testing::small_config;

ExitRecord rolled_out_to(int64_t exit_step) {
  const CausalDit dit(small_config(), random_dit_weights(small_config(), 3, at::kDouble));
  const RolloutSettings settings{
      {.sink_frames = 1, .fifo_frames = 2}, BlockLayout(4, 1), {1000.0, 937.5, 2500.0 / 3, 625.0}};
  return roll_out(dit, dit.prepare(draw(3, 0, {2, 4, 10})), settings, exit_step, [](FrameSpan block, int64_t step) {
    return normal_per_sample({.seed = 4, .purpose = NoisePurpose::kTest, .block = block.begin, .step = step},
                             {2, block.frames(), 3, 4, 6}, at::kDouble);
  });
}

TEST(ExitRecord, RefusesGraphsAndShapesThatDisagree) {
  ExitRecord record = rolled_out_to(1);
  EXPECT_NO_THROW(record.validate());
  record.noisy = record.noisy.clone().requires_grad_();
  EXPECT_THROW(record.validate(), Error);
  record.noisy = record.prediction.slice(1, 1);
  EXPECT_THROW(record.validate(), Error);
}

TEST(DenoiseBlock, RefusesAStepCountOutsideTheList) {
  EXPECT_NO_THROW(rolled_out_to(4));
  EXPECT_THROW(rolled_out_to(0), Error);
  EXPECT_THROW(rolled_out_to(5), Error);
}

}  // namespace
}  // namespace sgf
