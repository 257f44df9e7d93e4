// A network under training, watched: bad updates are skipped, counted and named; passes that come apart are said.
#include "sgf/training/learner.h"

#include "sgf/training/dmd_stage.h"
#include "tests/model/tiny_dit.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace sgf {
namespace {

using testing::draw;
using ::testing::HasSubstr;
using testing::small_config;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TrainedDit network(uint64_t seed = 1) {
  return TrainedDit(small_config(2, 1), random_dit_weights(small_config(2, 1), seed, at::kFloat), at::kFloat, {});
}

Learner learner(LearnerSettings settings = {}) { return Learner("generator", settings, network()); }

std::vector<at::Tensor> gradients_like(const Learner& learner, double scale) {
  std::vector<at::Tensor> out;
  for (const auto& [name, tensor] : learner.masters()) out.push_back(at::full_like(tensor, scale));
  return out;
}

TEST(Learner, AGoodGradientIsTakenAndABadOneNamed) {
  Learner one = learner();
  const at::Tensor before = one.masters()[5].second.clone();
  std::vector<at::Tensor> bad = gradients_like(one, 0.1);
  bad[5].view(-1)[0] = kNan;
  StepReport report;
  EXPECT_FALSE(one.update(bad, 1.0, 0, report));
  EXPECT_TRUE(at::equal(one.masters()[5].second, before));
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_THAT(report.warnings[0], HasSubstr(one.masters()[5].first));
  EXPECT_EQ(report.metrics.at("generator_skipped_updates"), 1);

  StepReport good;
  EXPECT_TRUE(one.update(gradients_like(one, 0.1), 1.0, 1, good));
  EXPECT_FALSE(at::equal(one.masters()[5].second, before));
  EXPECT_TRUE(good.warnings.empty() && good.stop.empty());
}

TEST(Learner, ALossThatIsNotFiniteIsAtFaultItself) {
  Learner one = learner();
  StepReport report;
  EXPECT_FALSE(one.update(gradients_like(one, 0.1), kNan, 0, report));
  EXPECT_THAT(report.warnings.at(0), HasSubstr("the loss itself"));
}

TEST(Learner, ANormFarOverTheMedianIsSkippedOnceTheMedianIsKnown) {
  Learner one = learner({.limits = {.factor = 20, .minimum = 5}});
  for (int64_t step = 0; step < 6; ++step) {
    StepReport report;
    EXPECT_TRUE(one.update(gradients_like(one, 0.1), 1.0, step, report));
  }
  StepReport large, fair;
  EXPECT_FALSE(one.update(gradients_like(one, 2.1), 1.0, 6, large));
  EXPECT_TRUE(one.update(gradients_like(one, 1.9), 1.0, 7, fair));
}

TEST(Learner, TenSkippedUpdatesInARowStopTheRunAndNineDoNot) {
  Learner one = learner();
  StepReport report;
  for (int64_t step = 0; step < 9; ++step) one.update(gradients_like(one, kNan), 1.0, step, report);
  EXPECT_TRUE(report.stop.empty());
  one.update(gradients_like(one, kNan), 1.0, 9, report);
  EXPECT_THAT(report.stop, HasSubstr("10 generator updates in a row"));
}

TEST(Learner, TheRateRisesAndFallsWithTheSchedule) {
  const OptimiserSettings cosine{.warmup_steps = 4, .decay = RateDecay::kCosine, .final_share = 0.1};
  EXPECT_DOUBLE_EQ(rate_factor(cosine, 104, 0), 0.25);
  EXPECT_DOUBLE_EQ(rate_factor(cosine, 104, 3), 1);
  EXPECT_DOUBLE_EQ(rate_factor(cosine, 104, 54), 0.55);
  EXPECT_DOUBLE_EQ(rate_factor(cosine, 104, 104), 0.1);
  EXPECT_DOUBLE_EQ(rate_factor(cosine, 104, 1000), 0.1);
  EXPECT_DOUBLE_EQ(rate_factor({}, 10, 9), 1);
}

DmdStage dmd_stage(const std::function<void(ExitRecord&)>& on_record, double stop_over) {
  DmdStageSettings settings{
      .dmd = {.rollout = {{.sink_frames = 1, .fifo_frames = 1}, BlockLayout(5, 1), {1000.0, 937.5}},
              .guidance = 0.5,
              .on_record = on_record},
      .schedule = {.generator_every = 1, .generator_at_zero = true},
      .recovery = {.warn_over = RecoveryWatch::usual_limit(at::kFloat), .stop_over = stop_over},
      .latent = {5, 3, 4, 6}};
  const auto prompts = [](UpdateKind, int64_t step, int64_t, int64_t count) {
    const at::Tensor cond = draw(2, step, {count, 4, 10}, at::TensorOptions(at::kFloat));
    return ScoreText{cond, at::zeros_like(cond)};
  };
  return DmdStage(settings, network(1), network(2).network(), network(3), {.prompts = prompts});
}

TEST(RecoveryWatch, AWrongMaskIsSaidLoudlyAndStopsTheRunWhereAsked) {
  const auto wrong_mask = [](ExitRecord& record) { record.policy = ContextPolicy::everything(); };
  const StepReport warned = dmd_stage(wrong_mask, 0).step(0);
  ASSERT_EQ(warned.warnings.size(), 1U);
  EXPECT_THAT(warned.warnings[0], HasSubstr("THE TWO PASSES DO NOT MATCH"));
  EXPECT_TRUE(warned.stop.empty());
  EXPECT_THAT(dmd_stage(wrong_mask, 1e-3).step(0).stop, HasSubstr("DO NOT MATCH"));

  const StepReport sound = dmd_stage({}, 1e-3).step(0);  // the control
  EXPECT_TRUE(sound.warnings.empty() && sound.stop.empty());
  EXPECT_LT(sound.metrics.at("recovery_relative_l2"), 1e-5);
}

TEST(DmdStage, ABrokenTeacherIsNoZeroLoss) {
  const auto report_with = [](double weight) {
    const DitWeights weights = random_dit_weights(small_config(2, 1), 2, at::kFloat);
    weights.head.weight.view(-1)[0] = weight;
    DmdStageSettings settings{.dmd = {.rollout = {{.sink_frames = 1, .fifo_frames = 1}, BlockLayout(2, 1), {1000.0}}},
                              .schedule = {.generator_every = 1, .generator_at_zero = true},
                              .latent = {2, 3, 4, 6}};
    const auto prompts = [](UpdateKind, int64_t step, int64_t, int64_t count) {
      const at::Tensor cond = draw(2, step, {count, 4, 10}, at::TensorOptions(at::kFloat));
      return ScoreText{cond, at::zeros_like(cond)};
    };
    return DmdStage(settings, network(1), CausalDit(small_config(2, 1), weights), network(3), {.prompts = prompts})
        .step(0);
  };
  const StepReport broken = report_with(kNan), sound = report_with(0.1);
  EXPECT_EQ(broken.metrics.at("generator_skipped_updates"), 1);
  EXPECT_THAT(broken.warnings.at(0), HasSubstr("generator update skipped"));
  EXPECT_EQ(sound.metrics.at("generator_skipped_updates"), 0);
}

TEST(RecoveryWatch, NotANumberIsNoMatch) {
  StepReport report;
  RecoveryWatch{.warn_over = 0.1, .stop_over = 0.1}.judge({.relative_l2 = kNan}, 0, report);
  EXPECT_FALSE(report.warnings.empty() || report.stop.empty());
  EXPECT_TRUE(std::isnan(worse_of({.relative_l2 = kNan}, {.relative_l2 = 1}).relative_l2));
  EXPECT_TRUE(std::isnan(worse_of({.relative_l2 = 1}, {.relative_l2 = kNan}).relative_l2));
}

}  // namespace
}  // namespace sgf
