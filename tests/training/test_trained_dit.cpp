// Masters and compute copies; the DMD step's draws and gradients.
#include "sgf/training/adamw.h"
#include "sgf/training/dmd_step.h"
#include "sgf/training/trained_dit.h"
#include "tests/model/tiny_dit.h"

#include <gtest/gtest.h>

namespace sgf {
namespace {

using testing::draw;
using testing::largest_difference;
using testing::relative_l2;
using testing::small_config;

TrainedDit trained(uint64_t seed, at::ScalarType compute = at::kDouble) {
  const at::ScalarType master = compute == at::kDouble ? at::kDouble : at::kFloat;
  return TrainedDit(small_config(), random_dit_weights(small_config(), seed, master), compute, {});
}

at::Tensor flow_of(const TrainedDit& dit) {
  const at::Tensor x = draw(1, 0, {1, 2, 3, 4, 6}, at::TensorOptions(at::kFloat));
  return dit.network().forward(x, at::full({1, 2}, 500.0), dit.network().embed(draw(1, 1, {1, 4, 10})),
                               Bidirectional{});
}

TEST(TrainedDit, BfloatCopiesFollowTheirMasters) {
  TrainedDit dit = trained(1, at::kBFloat16);
  const at::Tensor before = flow_of(dit).detach();
  AdamW optimiser({.learning_rate = 1e-2}, dit.masters());
  optimiser.step(dit.gradients(flow_of(dit).square().mean()));
  EXPECT_TRUE(at::equal(flow_of(dit), before));  // not yet
  dit.sync();
  EXPECT_GT(relative_l2(flow_of(dit).detach(), before), 1e-3);
}

TEST(TrainedDit, InTheirOwnDtypeMastersAreTheWeights) {
  TrainedDit dit = trained(1, at::kFloat);
  const at::Tensor before = flow_of(dit).detach();
  AdamW({.learning_rate = 1e-2}, dit.masters()).step(dit.gradients(flow_of(dit).square().mean()));
  EXPECT_GT(relative_l2(flow_of(dit).detach(), before), 1e-3);
}

TEST(TrainedDit, MastersCollectUpdatesTooSmallForBfloat) {
  TrainedDit dit = trained(1, at::kBFloat16);
  const at::Tensor master = dit.masters()[0].second, start = master.clone();
  AdamW optimiser({.learning_rate = 1e-6, .weight_decay = 0}, dit.masters());
  optimiser.step(dit.gradients(flow_of(dit).square().mean()));
  EXPECT_FALSE(at::equal(master, start));
  EXPECT_TRUE(at::equal(master.to(at::kBFloat16), start.to(at::kBFloat16)));
}

struct Dmd {
  TrainedDit generator = trained(1), teacher = trained(2), critic = trained(3);
  DmdSettings settings{
      .rollout = {{.sink_frames = 1, .fifo_frames = 2}, BlockLayout(4, 1), {1000.0, 937.5, 2500.0 / 3}},
      .guidance = 1.0};

  DmdNetworks networks() const { return {generator.network(), teacher.network(), critic.network()}; }

  DmdBatch batch(int64_t size, int64_t first_sample, int64_t step = 7) const {
    const at::Tensor text = draw(9, 0, {4, 4, 10}).slice(0, first_sample, first_sample + size);
    return {{text, at::zeros_like(text)},
            {size, 4, 3, 4, 6},
            at::kDouble,
            {},
            {.seed = 5, .step = step, .first_sample = first_sample}};
  }

  std::vector<at::Tensor> generator_gradients(const DmdBatch& b) const {
    return generator.gradients(generator_step(networks(), b, settings).loss);
  }
};

std::vector<at::Tensor> mean_of(std::vector<at::Tensor> a, const std::vector<at::Tensor>& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] = (a[i] + b[i]) / 2;
  return a;
}

TEST(DmdStep, ABatchOfTwoIsTheMeanOfItsSamples) {
  const Dmd dmd;
  const auto both = dmd.generator_gradients(dmd.batch(2, 0));
  const auto halves = mean_of(dmd.generator_gradients(dmd.batch(1, 0)), dmd.generator_gradients(dmd.batch(1, 1)));
  EXPECT_LT(largest_difference(halves, both), 1e-10);
  const auto critic = [&](const DmdBatch& b) {
    const DmdInputs inputs = drawn_inputs(UpdateKind::kCritic, b, dmd.settings);
    return dmd.critic.gradients(compute_critic_update(dmd.networks(), inputs, dmd.settings).loss);
  };
  EXPECT_LT(largest_difference(mean_of(critic(dmd.batch(1, 0)), critic(dmd.batch(1, 1))), critic(dmd.batch(2, 0))),
            1e-10);
}

TEST(DmdStep, TheBoundariesShareTheLossAndDifferInTheGradient) {
  Dmd dmd;
  const DmdBatch batch = dmd.batch(1, 0);
  const auto run = [&](GradientBoundary boundary) {
    dmd.settings.boundary = boundary;
    return generator_step(dmd.networks(), batch, dmd.settings);
  };
  const GeneratorStep open = run(GradientBoundary::kOpenContext), frozen = run(GradientBoundary::kFrozenContext);
  EXPECT_EQ(open.loss.item<double>(), frozen.loss.item<double>());
  EXPECT_LT(open.recovery.relative_l2, 1e-12);
  EXPECT_GT(largest_difference(dmd.generator.gradients(open.loss), dmd.generator.gradients(frozen.loss)), 1e-2);
}

TEST(DmdStep, NeitherTeacherNorCriticIsTouchedByTheGeneratorsLoss) {
  const Dmd dmd;
  const GeneratorStep step = generator_step(dmd.networks(), dmd.batch(1, 0), dmd.settings);
  for (const at::Tensor& g : dmd.critic.gradients(step.loss)) EXPECT_EQ(g.abs().max().item<double>(), 0);
}

std::set<int64_t> exits_in(const DmdInputs& inputs) {
  return {inputs.exits.steps().begin(), inputs.exits.steps().end()};
}

TEST(DmdStep, ExitsAreDrawnFromTheFirstThatIsAllowed) {
  Dmd dmd;
  for (const bool is_per_sample : {false, true}) {
    dmd.settings.exits = is_per_sample ? ExitSharing::kPerSample : ExitSharing::kShared;
    for (const int64_t first : {1, 2, 3}) {
      dmd.settings.first_exit = first;
      std::set<int64_t> generator, critic, allowed;
      for (int64_t step = 0; step < 40; ++step) {
        generator.merge(exits_in(drawn_inputs(UpdateKind::kGenerator, dmd.batch(1, 0, step), dmd.settings)));
        critic.merge(exits_in(drawn_inputs(UpdateKind::kCritic, dmd.batch(1, 0, step), dmd.settings)));
      }
      for (int64_t exit = first; exit <= 3; ++exit) allowed.insert(exit);
      EXPECT_EQ(generator, allowed);
      EXPECT_EQ(critic, allowed);
    }
  }
}

// Of 60 updates: how many judged a sample below the noise of the step that it would have gone on from.
int64_t judged_below_their_next_step(const Dmd& dmd) {
  int64_t below = 0;
  for (int64_t step = 0; step < 60; ++step)
    for (const DmdInputs& inputs : {drawn_inputs(UpdateKind::kGenerator, dmd.batch(1, 0, step), dmd.settings),
                                    drawn_inputs(UpdateKind::kCritic, dmd.batch(1, 0, step), dmd.settings)}) {
      const auto next = static_cast<size_t>(inputs.exits.of(0));
      const std::vector<double>& steps = dmd.settings.rollout.timesteps;
      below += next < steps.size() && inputs.score.t[0].item<double>() < steps[next] - 1e-6;
    }
  return below;
}

TEST(DmdStep, ARolloutThatStoppedEarlyMayBeJudgedAboveItsNextStepAlone) {
  Dmd dmd;
  for (const bool is_per_sample : {false, true}) {
    dmd.settings.exits = is_per_sample ? ExitSharing::kPerSample : ExitSharing::kShared;
    dmd.settings.score_above_next_step = true;
    EXPECT_EQ(judged_below_their_next_step(dmd), 0);
    dmd.settings.score_above_next_step = false;
    EXPECT_GT(judged_below_their_next_step(dmd), 10);
  }
}

TEST(DmdStep, StepsDrawDifferentExitsAndNoise) {
  std::set<int64_t> exits;
  for (int64_t step = 0; step < 40; ++step)
    exits.insert(DmdDraws{.seed = 1, .step = step}.exit(UpdateKind::kGenerator, {1, 4}));
  EXPECT_EQ(exits, (std::set<int64_t>{1, 2, 3, 4}));
  const std::vector<int64_t> latent{1, 4, 3, 4, 6};
  const auto first = [&](int64_t step) {
    return DmdDraws{.seed = 1, .step = step}.noise(UpdateKind::kGenerator, latent, at::kDouble)({0, 1}, 0);
  };
  EXPECT_TRUE(at::equal(first(3), first(3)));
  EXPECT_FALSE(at::equal(first(3), first(4)));
  const DmdDraws draws{.seed = 1, .step = 3};
  EXPECT_FALSE(at::equal(first(3), draws.noise(UpdateKind::kCritic, latent, at::kDouble)({0, 1}, 0)));
  EXPECT_FALSE(at::equal(first(3), draws.noise(UpdateKind::kGenerator, latent, at::kDouble)({1, 2}, 0)));
}

}  // namespace
}  // namespace sgf
