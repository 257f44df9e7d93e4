// Stages that make few-step students: they learn, resume exactly, and the consistency target lags behind its student.
#include "sgf/training/consistency_stage.h"
#include "sgf/training/ode_stage.h"

#include "tests/model/tiny_dit.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <memory>

namespace sgf {
namespace {

using testing::draw;
using testing::relative_l2;
using testing::small_config;

enum class Kind { kCausalOde, kBidirectionalOde, kConsistency };

constexpr int64_t kFrames = 4;

SingleNetworkSettings update(BatchSizes batch) {
  return {.generator = {.optimiser = {.learning_rate = 1e-2, .beta1 = 0.9}},
          .ema_decay = 0.9,
          .ema_start_step = 2,
          .batch = batch};
}

RolloutSettings rollout() { return {{.sink_frames = 1, .fifo_frames = 2}, BlockLayout(kFrames, 1), {1000.0, 750.0}}; }

TrainedDit student_network(uint64_t seed, at::ScalarType dtype) {
  return TrainedDit(small_config(2, 1), random_dit_weights(small_config(2, 1), seed, dtype), dtype, {});
}

// Clips of one colour each: something a network this small can learn.
at::Tensor clips(at::ScalarType dtype) {
  return draw(1, 0, {4, 1, 3, 1, 1}, at::TensorOptions(dtype)).expand({4, kFrames, 3, 4, 6});
}
at::Tensor rows(at::ScalarType dtype) { return draw(2, 0, {4, 4, 10}, at::TensorOptions(dtype)); }

// Straight paths from noise to the clips.
TextPaths paths(int64_t first, int64_t count, at::ScalarType dtype) {
  const at::Tensor end = clips(dtype), noise = draw(3, 0, end.sizes(), at::TensorOptions(dtype));
  const at::Tensor states = at::stack({noise, noise * 0.75 + end * 0.25}, 1);
  const auto part = [&](const at::Tensor& t) { return t.slice(0, first, first + count); };
  return {part(states), part(end), part(end), part(rows(dtype))};
}

std::unique_ptr<Stage> stage(Kind kind, BatchSizes batch, at::ScalarType dtype = at::kFloat, double ema_decay = 0.9) {
  SingleNetworkSettings settings = update(batch);
  settings.ema_decay = ema_decay;
  if (kind == Kind::kConsistency) {
    const ClipBatches batches = [dtype](int64_t, int64_t first, int64_t count) {
      return TextClips{clips(dtype).slice(0, first, first + count), rows(dtype).slice(0, first, first + count)};
    };
    return std::make_unique<ConsistencyStage>(ConsistencyStageSettings{.update = settings,
                                                                       .seed = 3,
                                                                       .guidance = 1.5,
                                                                       .grid = euler_grid(8, 5),
                                                                       .rollout = rollout(),
                                                                       .latent = {3, 4, 6},
                                                                       .negative_text = at::zeros({1, 4, 10}, dtype)},
                                              student_network(1, dtype), student_network(2, dtype).network(), batches);
  }
  return std::make_unique<OdeStage>(
      OdeStageSettings{.is_causal = kind == Kind::kCausalOde,
                       .update = settings,
                       .seed = 3,
                       .rollout = rollout(),
                       .latent = {3, 4, 6}},
      student_network(1, dtype), [dtype](int64_t, int64_t first, int64_t count) { return paths(first, count, dtype); });
}

class EveryStudentStage : public ::testing::TestWithParam<Kind> {};

TEST_P(EveryStudentStage, Learns) {
  const auto run = stage(GetParam(), {.global = 4, .micro = 4});
  double first = 0, last = 0;
  for (int64_t step = 0; step < 120; ++step) {
    const double loss = run->step(step).metrics.at("generator_loss");
    (step < 20 ? first : last) += step < 20 || step >= 100 ? loss : 0;
  }
  EXPECT_LT(last, 0.8 * first);
}

TEST_P(EveryStudentStage, AResumedRunRepeatsTheNextStepsBitForBit) {
  const BatchSizes batch{.global = 3, .micro = 2};
  const auto whole = stage(GetParam(), batch), first = stage(GetParam(), batch), second = stage(GetParam(), batch),
             forgetful = stage(GetParam(), batch);
  std::vector<StepMetrics> expected;
  for (int64_t step = 0; step < 6; ++step) expected.push_back(whole->step(step).metrics);
  for (int64_t step = 0; step < 3; ++step) first->step(step);
  second->restore(first->state());
  for (int64_t step = 3; step < 6; ++step) {
    EXPECT_EQ(second->step(step).metrics, expected[static_cast<size_t>(step)]);
    EXPECT_NE(forgetful->step(step).metrics, expected[static_cast<size_t>(step)]);  // the control
  }
  const StageState a = whole->state(), b = second->state();
  EXPECT_EQ(a.networks.count("ema"), 1U);
  for (const auto& [name, tensors] : a.networks)
    for (size_t i = 0; i < tensors.size(); ++i)
      EXPECT_TRUE(at::equal(tensors[i].second, b.networks.at(name)[i].second)) << name << tensors[i].first;
}

TEST_P(EveryStudentStage, AccumulationMakesTheUpdateOfTheWholeBatch) {
  const auto at_once = stage(GetParam(), {.global = 4, .micro = 4}, at::kDouble);
  const auto in_parts = stage(GetParam(), {.global = 4, .micro = 3}, at::kDouble);
  for (int64_t step = 0; step < 3; ++step) {
    const double a = at_once->step(step).metrics.at("generator_loss");
    EXPECT_NEAR(in_parts->step(step).metrics.at("generator_loss"), a, 1e-9 * a);
  }
}

TEST_P(EveryStudentStage, SamplesAreOfTheClipsShapeAndOfTheSeed) {
  const auto run = stage(GetParam(), {.global = 2, .micro = 2});
  const at::Tensor text = draw(5, 0, {2, 4, 10}, at::TensorOptions(at::kFloat));
  const at::Tensor video = run->sample(text, 1);
  EXPECT_EQ(video.sizes(), at::IntArrayRef({2, kFrames, 3, 4, 6}));
  EXPECT_TRUE(at::equal(video, run->sample(text, 1)));
  EXPECT_FALSE(at::equal(video, run->sample(text, 2)));
}

INSTANTIATE_TEST_SUITE_P(Students, EveryStudentStage,
                         ::testing::Values(Kind::kCausalOde, Kind::kBidirectionalOde, Kind::kConsistency));

TEST(ConsistencyStage, TheTargetBeginsAsTheStudentAndFollowsItSlowly) {
  const auto run = stage(Kind::kConsistency, {.global = 2, .micro = 2}, at::kDouble);
  const at::Tensor start = run->state().networks.at("ema")[0].second.clone();
  EXPECT_TRUE(at::equal(start, run->state().networks.at("generator")[0].second));
  run->step(0);
  const StageState state = run->state();
  const at::Tensor& student = state.networks.at("generator")[0].second;
  EXPECT_LT(relative_l2(state.networks.at("ema")[0].second, start * 0.9 + student * 0.1), 1e-14);
  EXPECT_GT(relative_l2(student, start), 1e-6);
}

TEST(ConsistencyStage, AnotherTargetGivesOtherLosses) {
  const auto slow = stage(Kind::kConsistency, {.global = 2, .micro = 2}, at::kDouble, 0.9);
  const auto fast = stage(Kind::kConsistency, {.global = 2, .micro = 2}, at::kDouble, 0.0);
  EXPECT_EQ(slow->step(0).metrics, fast->step(0).metrics);
  EXPECT_EQ(slow->step(1).metrics.count("generator_loss"), 1U);
  fast->step(1);
  EXPECT_NE(slow->step(2).metrics, fast->step(2).metrics);
}

}  // namespace
}  // namespace sgf
