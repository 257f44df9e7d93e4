// Pass 2 repeats what Pass 1 recorded, at every exit step.
#include "sgf/reconstruction/reconstruct.h"

#include "sgf/core/noise.h"
#include "sgf/reconstruction/recovery_report.h"
#include "sgf/rollout/roll_out.h"
#include "tests/model/tiny_dit.h"

#include <gtest/gtest.h>

namespace sgf {
namespace {

using testing::draw;
using testing::small_config;

struct Rollout {
  CausalDit dit;
  PromptText text;
  RolloutSettings settings;
  at::TensorOptions options;

  explicit Rollout(at::ScalarType dtype)
      : dit(small_config(), random_dit_weights(small_config(), 3, dtype)),
        settings{{.sink_frames = 1, .fifo_frames = 2}, BlockLayout(6, 1), {1000.0, 937.5, 2500.0 / 3, 625.0}},
        options(dtype == at::kDouble ? at::kDouble : at::kFloat) {
    text = dit.prepare(draw(3, 0, {2, 4, 10}, at::TensorOptions(dtype)));
  }

  ExitRecord record(int64_t exit_step) const {
    return roll_out(dit, text, settings, exit_step, [&](FrameSpan block, int64_t step) {
      return normal_per_sample({.seed = 4, .purpose = NoisePurpose::kTest, .block = block.begin, .step = step},
                               {2, block.frames(), 3, 4, 6}, options);
    });
  }
};

TEST(Reconstruct, RepeatsEveryExitOfPassOneInFloat64) {
  const Rollout rollout(at::kDouble);
  for (int64_t exit = 1; exit <= 4; ++exit) {
    const ExitRecord record = rollout.record(exit);
    const RecoveryReport report =
        recovery(reconstruct(rollout.dit, rollout.text, record, GradientBoundary::kOpenContext), record.prediction);
    EXPECT_LT(report.relative_l2, 1e-12) << "exit " << exit;
    EXPECT_GT(report.cosine, 1 - 1e-12);
  }
}

TEST(Reconstruct, AgreesToRoundingInFloat32) {
  const Rollout rollout(at::kFloat);
  const ExitRecord record = rollout.record(3);
  EXPECT_LT(recovery(reconstruct(rollout.dit, rollout.text, record, GradientBoundary::kOpenContext), record.prediction)
                .relative_l2,
            1e-5);
}

TEST(Reconstruct, AWrongWindowIsSeenByTheReport) {
  const Rollout rollout(at::kDouble);
  ExitRecord record = rollout.record(2);
  record.policy.fifo_frames = 1;
  EXPECT_GT(recovery(reconstruct(rollout.dit, rollout.text, record, GradientBoundary::kOpenContext), record.prediction)
                .relative_l2,
            1e-4);
}

}  // namespace
}  // namespace sgf
