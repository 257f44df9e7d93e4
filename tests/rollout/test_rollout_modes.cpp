// The other ways to roll out: an exit a sample, final predictions as context, a first block that is given.
#include "sgf/core/error.h"
#include "sgf/kernels/noise_fill.h"
#include "sgf/objectives/distribution_matching.h"
#include "sgf/reconstruction/reconstruct.h"
#include "sgf/reconstruction/recovery_report.h"
#include "sgf/rollout/few_step_samples.h"
#include "sgf/rollout/record_file.h"
#include "sgf/rollout/roll_out.h"
#include "tests/core/temporary_folder.h"
#include "tests/model/tiny_dit.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

namespace sgf {
namespace {

using testing::draw;
using testing::relative_l2;
using testing::small_config;
using testing::TemporaryFolder;

struct Rolled {
  CausalDit dit{small_config(2, 2), random_dit_weights(small_config(2, 2), 4, at::kDouble)};
  at::Tensor text = draw(6, 0, {3, 4, 10});
  RolloutSettings settings{{.sink_frames = 1, .fifo_frames = 2}, BlockLayout(5, 1), {1000.0, 937.5, 625.0}};

  ExitRecord roll(const ExitSteps& exits, const at::Tensor& given = {}) const {
    const BlockNoise noise = [](FrameSpan block, int64_t step) {
      const NoiseKey key{.seed = 8, .purpose = NoisePurpose::kTest, .block = block.begin, .step = step};
      return normal_per_sample(key, {3, block.frames(), 3, 4, 6}, at::kDouble);
    };
    return roll_out(dit, dit.prepare(text), settings, exits, noise, given);
  }

  RecoveryReport recovered(const ExitRecord& record) const {
    return recovery(reconstruct(dit, dit.embed(text), record, GradientBoundary::kOpenContext), record.prediction);
  }
};

TEST(ExitPerSample, EverySampleIsTheOneOfASharedExit) {
  const Rolled rolled;
  const ExitRecord mixed = rolled.roll(ExitSteps({3, 1, 2}));
  EXPECT_TRUE(at::equal(mixed.t, at::tensor({625.0, 1000.0, 937.5}, at::kDouble)));
  for (int64_t sample = 0; sample < 3; ++sample) {
    const ExitRecord shared = rolled.roll(ExitSteps({3, 1, 2}).of(sample));
    EXPECT_LT(relative_l2(mixed.prediction[sample], shared.prediction[sample]), 1e-12);
    EXPECT_LT(relative_l2(mixed.noisy[sample], shared.noisy[sample]), 1e-12);
  }
  EXPECT_LT(rolled.recovered(mixed).relative_l2, 1e-11);
}

TEST(ExitPerSample, AWrongTimestepDoesNotRecover) {
  const Rolled rolled;
  ExitRecord record = rolled.roll(ExitSteps({3, 1, 2}));
  record.t = record.t.flip(0);
  EXPECT_GT(rolled.recovered(record).relative_l2, 1e-3);
}

TEST(ExitPerSample, WantsAnExitForEverySample) {
  const Rolled rolled;
  EXPECT_THROW(rolled.roll(ExitSteps({3, 1})), Error);
  EXPECT_THROW(rolled.roll(ExitSteps({3, 1, 4})), Error);
  EXPECT_THROW(rolled.roll(0), Error);
}

TEST(ContextNoise, LiesOnTheContextThatBothPassesSee) {
  Rolled rolled;
  rolled.settings.context_sigma = 0.1;
  const ExitRecord record = rolled.roll(2);
  EXPECT_GT(relative_l2(record.context, record.prediction), 0.01);
  EXPECT_LT(rolled.recovered(record).relative_l2, 1e-11);
  rolled.settings.context_sigma = 0;
  const ExitRecord clean = rolled.roll(2);
  EXPECT_TRUE(at::equal(clean.context, clean.prediction));
  EXPECT_TRUE(at::equal(clean.noisy.slice(1, 0, 1), record.noisy.slice(1, 0, 1))) << "the first block sees no context";
  EXPECT_GT(relative_l2(clean.prediction.slice(1, 1), record.prediction.slice(1, 1)), 1e-4);
}

TEST(ContextNoise, IsLeftOutOfSamples) {
  Rolled rolled;
  const auto sampled = [&](double context_sigma) {
    rolled.settings.context_sigma = context_sigma;
    return sample_in_few_steps(rolled.dit, rolled.text, rolled.settings,
                               sample_noise(7, 3, {3, 4, 6}, at::TensorOptions(at::kDouble)));
  };
  EXPECT_TRUE(at::equal(sampled(0.1), sampled(0)));
}

TEST(FinalClean, ContextIsTheLastPredictionAndTheRecordThatOfTheExit) {
  Rolled rolled;
  rolled.settings.cache = CacheLatents::kFinalClean;
  const ExitRecord early = rolled.roll(1), last = rolled.roll(3);
  EXPECT_TRUE(at::equal(early.context, last.context));  // whatever the exit, later blocks see the same
  EXPECT_TRUE(at::equal(last.context, last.prediction));
  EXPECT_FALSE(at::equal(early.context, early.prediction));
  EXPECT_LT(rolled.recovered(early).relative_l2, 1e-11);
  ExitRecord wrong = early;  // the control: the exit's own predictions were not what the cache held
  wrong.context = early.prediction;
  EXPECT_GT(rolled.recovered(wrong).relative_l2, 1e-3);
}

TEST(GivenBlock, IsContextForTheOthersAndStaysAsItIs) {
  const Rolled rolled;
  const at::Tensor given = draw(7, 0, {3, 2, 3, 4, 6});
  const ExitRecord record = rolled.roll(2, given), free = rolled.roll(2);
  EXPECT_EQ(record.given_frames, 2);
  EXPECT_TRUE(at::equal(record.context.slice(1, 0, 2), given));
  EXPECT_FALSE(at::equal(record.prediction.slice(1, 2), free.prediction.slice(1, 2)));
  EXPECT_LT(rolled.recovered(record).relative_l2, 1e-11);
}

TEST(GivenBlock, IsOutOfTheLoss) {
  const at::Tensor x = draw(1, 0, {1, 3, 2, 2, 2}).requires_grad_(), gradient = draw(2, 0, {1, 3, 2, 2, 2});
  const at::Tensor d = torch::autograd::grad({dmd_loss(x, gradient, 1)}, {x})[0];
  EXPECT_EQ(d.slice(1, 0, 1).abs().max().item<double>(), 0);
  EXPECT_LT(relative_l2(d.slice(1, 1), gradient.slice(1, 1) / 16), 1e-12);
  EXPECT_GT(torch::autograd::grad({dmd_loss(x, gradient)}, {x})[0].slice(1, 0, 1).abs().max().item<double>(), 0);
}

TEST(GivenBlock, IsWholeBlocksAndNotTheWholeVideo) {
  Rolled rolled;
  rolled.settings.layout = BlockLayout(4, 2);
  EXPECT_THROW(rolled.roll(1, draw(7, 0, {3, 1, 3, 4, 6})), Error);
  EXPECT_THROW(rolled.roll(1, draw(7, 0, {3, 4, 3, 4, 6})), Error);
  EXPECT_NO_THROW(rolled.roll(1, draw(7, 0, {3, 2, 3, 4, 6})));
}

// A table of four entries under shift 5: sigma 1, 0.9375, 0.8333 and 0.625, nothing between.
constexpr SigmaRule kCoarse{.lookup = SigmaLookup::kNearestTable, .shift = 5, .entries = 4};

TEST(SigmaLookup, NearestTableTakesNoiseOffByTheEntryThatIsNearest) {
  Rolled rolled;
  rolled.settings.timesteps = {700};
  const ExitRecord exact = rolled.roll(1);
  rolled.settings.sigma = kCoarse;
  const ExitRecord nearest = rolled.roll(1);
  EXPECT_TRUE(at::equal(exact.t, nearest.t) && at::equal(exact.noisy, nearest.noisy));
  // x0 = x - sigma v: of the first block, whose flow no context changes, both name the same v.
  const auto flow = [](const ExitRecord& record, double sigma) {
    return (record.noisy - record.prediction).slice(1, 0, 1) / sigma;
  };
  EXPECT_LT(relative_l2(flow(nearest, 0.625), flow(exact, 0.7)), 1e-12);
  EXPECT_GT(relative_l2(flow(nearest, 0.7), flow(exact, 0.7)), 1e-2);  // the control
}

TEST(SigmaLookup, NearestTablePutsNoiseOnByTheEntryThatIsNearest) {
  Rolled rolled;
  rolled.settings.timesteps = {1000, 700};
  const ExitRecord exact = rolled.roll(2);
  rolled.settings.sigma = kCoarse;
  const ExitRecord nearest = rolled.roll(2);
  rolled.settings.timesteps = {1000, 625};
  rolled.settings.sigma = {};
  const ExitRecord at_entry = rolled.roll(2);
  EXPECT_LT(relative_l2(nearest.noisy.slice(1, 0, 1), at_entry.noisy.slice(1, 0, 1)), 1e-12);
  EXPECT_GT(relative_l2(nearest.noisy.slice(1, 0, 1), exact.noisy.slice(1, 0, 1)), 1e-3);
}

TEST(SigmaLookup, WhereAllStepsAreEntriesBothLookupsAgree) {
  Rolled rolled;  // of the table of 1000
  const ExitRecord exact = rolled.roll(3);
  rolled.settings.sigma = {.lookup = SigmaLookup::kNearestTable};
  EXPECT_LT(relative_l2(rolled.roll(3).prediction, exact.prediction), 1e-12);
}

TEST(SigmaLookup, PassTwoRecoversByTheRuleOfPassOne) {
  Rolled rolled;
  rolled.settings.timesteps = {1000, 700, 300};
  rolled.settings.sigma = kCoarse;
  ExitRecord record = rolled.roll(ExitSteps({3, 1, 2}));
  EXPECT_LT(rolled.recovered(record).relative_l2, 1e-11);
  record.sigma = {};
  EXPECT_GT(rolled.recovered(record).relative_l2, 1e-3);  // the control
}

TEST(SigmaLookup, ARecordOnDiskKeepsItsRule) {
  Rolled rolled;
  const TemporaryFolder folder;
  for (const SigmaRule& rule : {SigmaRule{}, SigmaRule{.lookup = SigmaLookup::kNearestTable, .shift = 1.0 / 3}}) {
    rolled.settings.sigma = rule;
    save_record(folder.path() / "r.safetensors", {rolled.roll(1), rolled.text});
    EXPECT_EQ(load_record(folder.path() / "r.safetensors").record.sigma, rule);
  }
}

// Three exits of the first block's own steps and of the others'.
struct FirstBlock : Rolled {
  FirstBlock() { settings.first_timesteps = {1000.0, 980.0, 900.0, 800.0}; }
};

TEST(FirstBlockSteps, TheFirstBlockIsTheOneOfItsOwnSteps) {
  FirstBlock first;
  const ExitRecord record = first.roll(ExitSteps(2).with_first(3));
  Rolled other = first;
  other.settings.first_timesteps.clear();
  const ExitRecord usual = other.roll(2);
  other.settings.timesteps = first.settings.first_timesteps;
  const ExitRecord own = other.roll(3);
  EXPECT_TRUE(at::equal(record.prediction.slice(1, 0, 1), own.prediction.slice(1, 0, 1)));
  EXPECT_FALSE(at::equal(record.prediction.slice(1, 0, 1), usual.prediction.slice(1, 0, 1)));
  EXPECT_FALSE(at::equal(record.prediction.slice(1, 1), usual.prediction.slice(1, 1))) << "later blocks see it";
  EXPECT_FALSE(usual.first_t.defined());
}

TEST(FirstBlockSteps, PassTwoRecoversEveryBlockAtItsTimestep) {
  const FirstBlock first;
  for (const ExitSteps& exits :
       {ExitSteps(2).with_first(3), ExitSteps({3, 1, 2}).with_first(ExitSteps({1, 4, 2})), ExitSteps(3)}) {
    ExitRecord record = first.roll(exits);
    EXPECT_LT(first.recovered(record).relative_l2, 1e-11);
    record.first_t = at::Tensor();  // the control: the first block was not denoised at the exit of the others
    EXPECT_GT(first.recovered(record).relative_l2, 1e-3);
  }
}

TEST(FirstBlockSteps, ExitsOfSamplesAreThoseOfSharedExits) {
  const FirstBlock first;
  const ExitSteps later({3, 1, 2}), own({1, 4, 2});
  const ExitRecord mixed = first.roll(later.with_first(own));
  EXPECT_TRUE(at::equal(mixed.first_t, at::tensor({1000.0, 800.0, 980.0}, at::kDouble)));
  EXPECT_TRUE(at::equal(mixed.t, at::tensor({625.0, 1000.0, 937.5}, at::kDouble)));
  for (int64_t sample = 0; sample < 3; ++sample) {
    const ExitRecord shared = first.roll(ExitSteps(later.of(sample)).with_first(own.of(sample)));
    EXPECT_LT(relative_l2(mixed.prediction[sample], shared.prediction[sample]), 1e-12);
  }
}

TEST(FirstBlockSteps, WithoutAnExitOfItsOwnItLeavesAsFarFromItsLastStep) {
  FirstBlock first;
  const auto exit_of = [&](int64_t step) { return first.roll(step).first_t[0].item<double>(); };
  EXPECT_EQ(exit_of(3), 800);  // the last, as in samples
  EXPECT_EQ(exit_of(1), 980);
  first.settings.first_timesteps = {1000.0};
  EXPECT_EQ(exit_of(1), 1000);
  EXPECT_EQ(exit_of(3), 1000);
}

TEST(FirstBlockSteps, AnExitBeyondThemIsRefused) {
  const FirstBlock first;
  EXPECT_NO_THROW(first.roll(ExitSteps(1).with_first(4)));
  EXPECT_THROW(first.roll(ExitSteps(1).with_first(5)), Error);
  EXPECT_THROW(Rolled().roll(ExitSteps(1).with_first(1)), Error) << "there are none";
}

TEST(FirstBlockSteps, ARecordOnDiskKeepsItsTimestep) {
  const FirstBlock first;
  const TemporaryFolder folder;
  const ExitRecord record = first.roll(ExitSteps(2).with_first(3));
  save_record(folder.path() / "r.safetensors", {record, first.text});
  const ExitRecord saved = load_record(folder.path() / "r.safetensors").record;
  EXPECT_TRUE(at::equal(saved.first_t, record.first_t));
  EXPECT_LT(first.recovered(saved).relative_l2, 1e-11);
}

TEST(RecordFile, ARecordComesBackAsItWas) {
  const Rolled rolled;
  const TemporaryFolder folder;
  const ExitRecord record = rolled.roll(ExitSteps({2, 1, 3}), draw(7, 0, {3, 1, 3, 4, 6}));
  save_record(folder.path() / "r.safetensors", {record, rolled.text});
  const SavedRecord saved = load_record(folder.path() / "r.safetensors");
  EXPECT_TRUE(at::equal(saved.record.noisy, record.noisy) && at::equal(saved.record.context, record.context) &&
              at::equal(saved.record.prediction, record.prediction) && at::equal(saved.record.t, record.t) &&
              at::equal(saved.text, rolled.text));
  EXPECT_EQ(saved.record.given_frames, 1);
  EXPECT_EQ(saved.record.policy, record.policy);
  EXPECT_LT(rolled.recovered(saved.record).relative_l2, 1e-11);
}

TEST(RecordFile, AnotherFileIsRefused) {
  const TemporaryFolder folder;
  save_tensors(folder.path() / "x.safetensors", {{"noisy", at::zeros({1})}}, {});
  EXPECT_THROW(load_record(folder.path() / "x.safetensors"), Error);
}

}  // namespace
}  // namespace sgf
