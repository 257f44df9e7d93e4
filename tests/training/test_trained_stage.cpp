// The DMD stage: exact resume, accumulation, the order of updates.
#include "sgf/training/dmd_stage.h"

#include "sgf/core/error.h"
#include "tests/model/tiny_dit.h"

#include <gtest/gtest.h>

namespace sgf {
namespace {

using testing::draw;
using testing::relative_l2;
using testing::small_config;

DmdStageSettings settings(int64_t global_batch, int64_t micro_batch) {
  return {
      .dmd = {.rollout = {{.sink_frames = 1, .fifo_frames = 2}, BlockLayout(3, 1), {1000.0, 937.5}}, .guidance = 0.5},
      .generator = {.optimiser = {.learning_rate = 1e-3}},
      .critic = {.optimiser = {.learning_rate = 1e-3}},
      .schedule = {.generator_every = 2},
      .ema_decay = 0.9,
      .ema_start_step = 4,
      .batch = {.global = global_batch, .micro = micro_batch},
      .seed = 11,
      .latent = {3, 3, 4, 6}};
}

TrainedDit network(uint64_t seed, at::ScalarType dtype) {
  return TrainedDit(small_config(2, 1), random_dit_weights(small_config(2, 1), seed, dtype), dtype, {});
}

DmdStage stage(int64_t global_batch, int64_t micro_batch, at::ScalarType dtype = at::kFloat) {
  const auto prompts = [dtype](UpdateKind kind, int64_t step, int64_t first, int64_t count) {
    const at::Tensor all = draw(kind == UpdateKind::kCritic ? 1 : 2, step, {8, 4, 10}, at::TensorOptions(dtype));
    const at::Tensor cond = all.slice(0, first, first + count);
    return ScoreText{cond, at::zeros_like(cond)};
  };
  return DmdStage(settings(global_batch, micro_batch), network(1, dtype), network(2, dtype).network(),
                  network(3, dtype), {.prompts = prompts});
}

NamedTensors cloned(const NamedTensors& tensors) {
  NamedTensors out;
  for (const auto& [name, tensor] : tensors) out.emplace_back(name, tensor.detach().clone());
  return out;
}

StageState cloned(const StageState& state) {
  StageState out{.counters = state.counters};
  for (const auto& [name, tensors] : state.networks) out.networks[name] = cloned(tensors);
  for (const auto& [name, tensors] : state.optimisers) out.optimisers[name] = cloned(tensors);
  return out;
}

void expect_equal(const NamedTensors& a, const NamedTensors& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(at::equal(a[i].second, b[i].second)) << a[i].first;
}

void expect_equal(const StageState& a, const StageState& b) {
  ASSERT_EQ(a.networks.size(), b.networks.size());
  for (const auto& [name, tensors] : a.networks) expect_equal(tensors, b.networks.at(name));
  for (const auto& [name, tensors] : a.optimisers) expect_equal(tensors, b.optimisers.at(name));
  EXPECT_EQ(a.counters, b.counters);
}

TEST(DmdStage, AResumedRunRepeatsTheNextStepsBitForBit) {
  DmdStage whole = stage(2, 1), first = stage(2, 1), second = stage(2, 1);
  std::vector<StepMetrics> expected;
  for (int64_t step = 0; step < 8; ++step) expected.push_back(whole.step(step).metrics);
  for (int64_t step = 0; step < 5; ++step) first.step(step);
  second.restore(cloned(first.state()));
  for (int64_t step = 5; step < 8; ++step) EXPECT_EQ(second.step(step).metrics, expected[static_cast<size_t>(step)]);
  expect_equal(second.state(), whole.state());
}

TEST(DmdStage, AccumulationMakesTheUpdateOfTheWholeBatch) {
  DmdStage at_once = stage(2, 2, at::kDouble), in_parts = stage(2, 1, at::kDouble);
  for (int64_t step = 0; step < 3; ++step) {
    at_once.step(step);
    in_parts.step(step);
  }
  const NamedTensors a = at_once.generator().masters(), b = in_parts.generator().masters();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_LT(relative_l2(a[i].second, b[i].second), 1e-9) << a[i].first;
}

TEST(DmdStage, TheGeneratorMovesEverySecondStepAndTheCriticAlways) {
  DmdStage run = stage(1, 1);
  const NamedTensors generator = cloned(run.generator().masters()), critic = cloned(run.critic().masters());
  const StepMetrics first = run.step(1).metrics;
  EXPECT_FALSE(first.contains("generator_loss"));
  EXPECT_TRUE(first.contains("critic_loss"));
  expect_equal(run.generator().masters(), generator);
  EXPECT_FALSE(at::equal(run.critic().masters()[0].second, critic[0].second));
  EXPECT_TRUE(run.step(2).metrics.contains("generator_loss"));
  EXPECT_FALSE(at::equal(run.generator().masters()[0].second, generator[0].second));
}

TEST(DmdStage, TheAverageStartsAtItsStep) {
  DmdStage run = stage(1, 1);
  for (int64_t step = 0; step < 4; ++step) run.step(step);
  EXPECT_FALSE(run.ema().has_started());
  run.step(4);
  EXPECT_TRUE(run.ema().has_started());
}

TEST(DmdStage, RefusesAnotherNetworksState) {
  DmdStage run = stage(1, 1);
  StageState state = cloned(run.state());
  state.networks["generator"][0].first = "other";
  EXPECT_THROW(run.restore(state), Error);
}

}  // namespace
}  // namespace sgf
