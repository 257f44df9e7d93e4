// Four ways to a gradient on one rollout: which are the same, which are not, and what they hold in memory.
#include "sgf/core/error.h"
#include "sgf/core/noise.h"
#include "sgf/diagnosis/feasibility.h"
#include "sgf/diagnosis/recovery_per_exit.h"
#include "tests/core/temporary_folder.h"
#include "tests/model/tiny_dit.h"

#include <gtest/gtest.h>

#include <new>

namespace sgf {
namespace {

using testing::draw;
using testing::small_config;

// A small network with eviction: five blocks, a window of two.
struct SmallRollout {
  CausalDit dit;
  RolloutSettings rollout{{.sink_frames = 1, .fifo_frames = 2}, BlockLayout(5, 1), {1000.0, 937.5, 2500.0 / 3, 625.0}};

  explicit SmallRollout(ActivationPolicy activations = ActivationPolicy::kKeepAll)
      : dit(small_config(), random_dit_weights(small_config(), 3, at::kDouble), {.activations = activations}) {
    set_requires_grad(dit.weights(), true);
  }

  FeasibilitySettings setting(int64_t exit_step) const {
    return {dit, rollout, exit_step, noise(), text(), draw(5, 1, {2, 5, 3, 4, 6})};
  }

  static BlockNoise noise() {
    return [](FrameSpan block, int64_t step) {
      return normal_per_sample({.seed = 4, .purpose = NoisePurpose::kTest, .block = block.begin, .step = step},
                               {2, block.frames(), 3, 4, 6}, at::TensorOptions(at::kDouble));
    };
  }

  static at::Tensor text() { return draw(5, 0, {2, 4, 10}); }
};

double distance(const SmallRollout& rollout, GradientMethod method, int64_t exit_step) {
  const FeasibilitySettings setting = rollout.setting(exit_step);
  return gradient_distance(differentiate(method, setting).gradients,
                           differentiate(GradientMethod::kSelfGradientForcing, setting).gradients);
}

TEST(Feasibility, ADirectCacheHasTheGradientOfSelfGradientForcing) {
  for (int64_t exit = 1; exit <= 4; ++exit)
    EXPECT_LT(distance(SmallRollout(), GradientMethod::kDirectCache, exit), 1e-10) << "exit " << exit;
}

TEST(Feasibility, SelfForcingAndBpttHaveOthers) {
  EXPECT_GT(distance(SmallRollout(), GradientMethod::kSelfForcing, 3), 1e-3);
  EXPECT_GT(distance(SmallRollout(), GradientMethod::kBptt, 3), 1e-3);
}

// The control of the control: where nothing is before the exit step but the past, BPTT still goes through latents.
TEST(Feasibility, BpttGoesThroughThePastEvenAtTheFirstExit) {
  EXPECT_GT(distance(SmallRollout(), GradientMethod::kBptt, 1), 1e-3);
}

TEST(Feasibility, AllFourHaveTheSameLoss) {
  const SmallRollout rollout;
  const double expected = differentiate(GradientMethod::kSelfGradientForcing, rollout.setting(2)).loss.item<double>();
  for (const auto method : {GradientMethod::kSelfForcing, GradientMethod::kDirectCache, GradientMethod::kBptt})
    EXPECT_NEAR(differentiate(method, rollout.setting(2)).loss.item<double>() / expected, 1, 1e-12) << name_of(method);
}

// A cache is no input of a recomputed block: serial graphs keep their activations, or gradients would be lost.
TEST(Feasibility, RecomputationChangesNoGradient) {
  const SmallRollout kept, recomputed(ActivationPolicy::kRecomputeBlocks);
  for (const auto method : {GradientMethod::kSelfGradientForcing, GradientMethod::kDirectCache, GradientMethod::kBptt})
    EXPECT_LT(gradient_distance(differentiate(method, recomputed.setting(2)).gradients,
                                differentiate(method, kept.setting(2)).gradients),
              1e-12)
        << name_of(method);
}

TEST(Feasibility, SerialGraphsHoldMoreMemoryThanTheBoundedReconstruction) {
  const SmallRollout rollout(ActivationPolicy::kRecomputeBlocks);
  const FeasibilitySettings setting = rollout.setting(4);
  const auto peak = [&](GradientMethod method) { return measure_feasibility(method, setting).peak_bytes; };
  const int64_t sgf = peak(GradientMethod::kSelfGradientForcing);
  const int64_t direct = peak(GradientMethod::kDirectCache);
  EXPECT_GT(direct, sgf);
  EXPECT_GT(peak(GradientMethod::kBptt), direct);
}

TEST(Feasibility, ALackOfMemoryIsARowAndAnyOtherFaultIsNot) {
  const SmallRollout rollout;
  FeasibilitySettings setting = rollout.setting(1);
  setting.noise = [](FrameSpan, int64_t) -> at::Tensor { throw std::bad_alloc(); };
  EXPECT_TRUE(measure_feasibility(GradientMethod::kBptt, setting).ran_out_of_memory);
  setting.noise = [](FrameSpan, int64_t) { return at::empty({1LL << 50}, at::kDouble); };
  EXPECT_TRUE(measure_feasibility(GradientMethod::kSelfGradientForcing, setting).ran_out_of_memory);
  setting.noise = [](FrameSpan, int64_t) -> at::Tensor { fail("another fault"); };
  EXPECT_THROW(measure_feasibility(GradientMethod::kBptt, setting), Error);
  EXPECT_FALSE(measure_feasibility(GradientMethod::kBptt, rollout.setting(1)).ran_out_of_memory);
}

TEST(Feasibility, RefusesUnknownMethodsStepsAndCaches) {
  EXPECT_THROW(gradient_method_from_name("btpp"), Error);
  EXPECT_EQ(gradient_method_from_name("direct-cache"), GradientMethod::kDirectCache);
  SmallRollout rollout;
  EXPECT_THROW(differentiate(GradientMethod::kBptt, rollout.setting(5)), Error);
  rollout.rollout.cache = CacheLatents::kFinalClean;
  EXPECT_THROW(differentiate(GradientMethod::kDirectCache, rollout.setting(1)), Error);
}

RecoverySettings recovery_setting(const SmallRollout& rollout) {
  return {.dit = rollout.dit,
          .rollout = rollout.rollout,
          .noise = [](int64_t) { return SmallRollout::noise(); },
          .text = [](int64_t) { return SmallRollout::text(); },
          .noises = 2,
          .on_record = {}};
}

TEST(RecoveryPerExit, PassTwoRepeatsPassOneInFloat64) {
  const SmallRollout rollout;
  const ExitRecovery one = measure_recovery(recovery_setting(rollout), 2);
  EXPECT_LT(one.report.relative_l2, 1e-12);
  EXPECT_DOUBLE_EQ(one.timestep, 937.5);
  EXPECT_EQ(one.noises, 2);
}

TEST(RecoveryPerExit, AKeptRecordIsReconstructedByItsNetworkAndNotByAnother) {
  const testing::TemporaryFolder folder;
  const SmallRollout rollout;
  RecoverySettings setting = recovery_setting(rollout);
  setting.on_record = [&](int64_t, int64_t number, const SavedRecord& saved) {
    save_record(folder.path() / fmt::format("{}.safetensors", number), saved);
  };
  measure_recovery(setting, 3);
  const SavedRecord kept = load_record(folder.path() / "1.safetensors");
  EXPECT_LT(replay_recovery(rollout.dit, kept).report.relative_l2, 1e-12);
  const CausalDit other(small_config(), random_dit_weights(small_config(), 8, at::kDouble));
  EXPECT_GT(replay_recovery(other, kept).report.relative_l2, 1e-2);
}

}  // namespace
}  // namespace sgf
