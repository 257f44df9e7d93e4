// The DMD stage: exact resume, accumulation, the order of updates.
#include "sgf/training/dmd_stage.h"

#include "sgf/core/device.h"
#include "sgf/core/error.h"
#include "tests/training/tiny_stage.h"

#include <gtest/gtest.h>

#include <set>

namespace sgf {
namespace {

using testing::relative_l2;
using testing::stage;

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
  const at::Tensor before = run.generator().masters()[0].second.clone();
  run.step(4);
  ASSERT_TRUE(run.ema().has_started());
  const at::Tensor after = run.generator().masters()[0].second, average = run.ema().average()[0].second;
  EXPECT_FALSE(at::equal(after, before));
  EXPECT_LT(relative_l2(average, before * 0.9 + after * 0.1), 1e-7);
}

TEST(DmdStage, SamplesBeginWithAGivenBlockWhereTrainingDoes) {
  const at::Tensor given = at::full({2, 1, 3, 4, 6}, 0.25), text = testing::draw(3, 0, {2, 4, 10}, at::kFloat);
  const auto sample = [&](DmdData data) {
    const DmdStage run(testing::stage_settings(2, 2), testing::network(1, at::kFloat),
                       testing::network(2, at::kFloat).network(), testing::network(3, at::kFloat), std::move(data));
    return run.sample(text, 5);
  };
  const at::Tensor from_given = sample({.sample_given = [&](int64_t) { return given; }}), from_noise = sample({});
  EXPECT_TRUE(at::equal(from_given.slice(1, 0, 1), given));
  EXPECT_FALSE(at::equal(from_noise.slice(1, 0, 1), given));
  EXPECT_FALSE(at::equal(from_given.slice(1, 1), from_noise.slice(1, 1))) << "later blocks see it";
}

TEST(GeneratorStep, ItsGradientsSizeAndNormLeaveGivenFramesOut) {
  const DmdStageSettings settings = testing::stage_settings(2, 2);
  const CausalDit generator = testing::network(1, at::kDouble).network(),
                  teacher = testing::network(2, at::kDouble).network(),
                  critic = testing::network(3, at::kDouble).network();
  const at::Tensor text = testing::draw(3, 0, {2, 4, 10}, at::kDouble);
  const DmdBatch batch{.text = {text, at::zeros_like(text)},
                       .latent = {2, 3, 3, 4, 6},
                       .options = at::TensorOptions(at::kDouble),
                       .given = testing::draw(4, 0, {2, 1, 3, 4, 6}, at::kDouble),
                       .draws = {.seed = 7, .step = 1}};
  DmdSettings dmd = settings.dmd;
  std::optional<ExitRecord> record;
  dmd.on_record = [&](ExitRecord& seen) { record = seen; };
  const GeneratorStep taken = generator_step({generator, teacher, critic}, batch, dmd);
  const ScoreDraw score =
      batch.draws.score(UpdateKind::kGenerator, batch.latent, batch.options, {dmd.score, dmd.score});
  const at::Tensor gradient =
      generator_loss(record->prediction, {teacher, critic, dmd.guidance}, score, batch.text, 1).gradient;
  const auto norm_from = [&](int64_t frame) {
    return gradient.slice(1, frame).flatten(1).norm(2, 1).mean().item<double>();
  };
  EXPECT_NEAR(taken.dmd_gradient_l2 / norm_from(1), 1, 1e-6);
  EXPECT_GT(std::abs(taken.dmd_gradient_l2 / norm_from(0) - 1), 0.01) << "the control: all frames give another number";
  // What others log as dmdtrain_gradient_norm: mean(|grad|).
  EXPECT_NEAR(taken.dmd_gradient_size / gradient.slice(1, 1).abs().mean().item<double>(), 1, 1e-6);
  EXPECT_GT(std::abs(taken.dmd_gradient_size / gradient.abs().mean().item<double>() - 1), 1e-4) << "the control";
}

TEST(GeneratorStep, AFirstBlockWithStepsOfItsOwnHasItsOwnExitsAndNoise) {
  DmdSettings dmd = testing::stage_settings(2, 2).dmd;
  const CausalDit generator = testing::network(1, at::kDouble).network(),
                  teacher = testing::network(2, at::kDouble).network(),
                  critic = testing::network(3, at::kDouble).network();
  const at::Tensor text = testing::draw(3, 0, {2, 4, 10}, at::kDouble);
  const auto batch = [&](int64_t step) {
    return DmdBatch{.text = {text, at::zeros_like(text)},
                    .latent = {2, 3, 3, 4, 6},
                    .options = at::TensorOptions(at::kDouble),
                    .draws = {.seed = 7, .step = step}};
  };
  const DmdInputs usual = drawn_inputs(UpdateKind::kGenerator, batch(1), dmd);
  EXPECT_FALSE(usual.exits.has_first());
  dmd.rollout.first_timesteps = {1000, 990, 980, 970, 960, 950};
  for (const ExitSharing sharing : {ExitSharing::kShared, ExitSharing::kPerSample}) {
    dmd.exits = sharing;
    std::set<int64_t> exits, others;
    for (int64_t step = 0; step < 60; ++step) {
      const DmdInputs inputs = drawn_inputs(UpdateKind::kGenerator, batch(step), dmd);
      exits.insert(inputs.exits.first().of(0));
      others.insert(inputs.exits.of(0));
    }
    EXPECT_EQ(exits, (std::set<int64_t>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(*others.rbegin(), static_cast<int64_t>(dmd.rollout.timesteps.size())) << "the others keep their steps";
    EXPECT_LT(generator_step({generator, teacher, critic}, batch(1), dmd).recovery.relative_l2, 1e-10);
  }
  dmd.exits = ExitSharing::kShared;
  EXPECT_EQ(drawn_inputs(UpdateKind::kGenerator, batch(1), dmd).exits.steps(), usual.exits.steps())
      << "whose draw stays as it was";
}

TEST(GeneratorStep, ScoresLookSigmaUpAsTheRolloutDoes) {
  DmdSettings dmd = testing::stage_settings(2, 2).dmd;
  dmd.rollout.sigma = {.lookup = SigmaLookup::kNearestTable, .shift = 3, .entries = 4};
  const at::Tensor text = testing::draw(3, 0, {2, 4, 10}, at::kDouble);
  const DmdBatch batch{.text = {text, text},
                       .latent = {2, 3, 3, 4, 6},
                       .options = at::TensorOptions(at::kDouble),
                       .draws = {.seed = 7, .step = 1}};
  for (const DmdInputs& inputs :
       {drawn_inputs(UpdateKind::kGenerator, batch, dmd), drawn_inputs(UpdateKind::kCritic, batch, dmd)}) {
    EXPECT_EQ(inputs.score.sigma, dmd.rollout.sigma);
    EXPECT_EQ(inputs.with(inputs.tensors()).score.sigma, dmd.rollout.sigma);
  }
}

DmdStage stage_on_gpu(bool record_launches) {
  DmdStageSettings settings = testing::stage_settings(2, 2);
  settings.record_launches = record_launches;
  const auto network = [](uint64_t seed) {
    const DitConfig config = testing::small_config(2, 1);
    return TrainedDit(config, random_dit_weights(config, seed, at::TensorOptions(at::kFloat).device(at::kCUDA)),
                      at::kFloat, {});
  };
  const auto prompts = [](UpdateKind kind, int64_t step, int64_t, int64_t count) {
    const auto options = at::TensorOptions(at::kFloat).device(at::kCUDA);
    const at::Tensor text = testing::draw(kind == UpdateKind::kCritic ? 1 : 2, step, {count, 4, 10}, options);
    return ScoreText{text, at::zeros_like(text)};
  };
  return DmdStage(settings, network(1), network(2).network(), network(3), {.prompts = prompts});
}

TEST(DmdStage, RecordedOnAGpuTakesTheSameSteps) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU here";
  DmdStage plain = stage_on_gpu(false), recorded = stage_on_gpu(true);
  for (int64_t step = 0; step < 16; ++step)  // each exit comes more often than a recording is made
    EXPECT_EQ(recorded.step(step).metrics, plain.step(step).metrics) << "step " << step;
}

TEST(DmdStage, ExitsOfASamplesOwnAreNotRecorded) {
  DmdStageSettings settings = testing::stage_settings(2, 2);
  settings.record_launches = true;
  settings.dmd.exits = ExitSharing::kPerSample;
  EXPECT_THROW(DmdStage(settings, testing::network(1, at::kFloat), testing::network(2, at::kFloat).network(),
                        testing::network(3, at::kFloat), {}),
               Error);
}

TEST(DmdStage, RefusesAnotherNetworksState) {
  DmdStage run = stage(1, 1);
  StageState state = cloned(run.state());
  state.networks["generator"][0].first = "other";
  EXPECT_THROW(run.restore(state), Error);
}

}  // namespace
}  // namespace sgf
