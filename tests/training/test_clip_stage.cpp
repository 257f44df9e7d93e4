// Stages that learn from clips: they learn, they resume exactly, and only teacher forcing is causal.
#include "sgf/training/clip_stage.h"

#include "sgf/core/device.h"
#include "tests/model/tiny_dit.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

using testing::draw;
using testing::relative_l2;
using testing::small_config;

ClipStageSettings settings(bool is_causal, BatchSizes batch = {.global = 2, .micro = 2}) {
  return {.is_causal = is_causal,
          .update = {.generator = {.optimiser = {.learning_rate = 1e-2, .beta1 = 0.9}},
                     .ema_decay = 0.9,
                     .ema_start_step = 2,
                     .batch = batch},
          .seed = 3,
          .policy = {.sink_frames = 1, .fifo_frames = 2},
          .layout = BlockLayout(4, 1),
          .sampler = {.steps = 3, .guidance = 1.5},
          .empty_text = at::zeros({1, 4, 10})};
}

ClipStage stage(const ClipStageSettings& s, at::TensorOptions options = at::kFloat) {
  const DitConfig config = small_config(2, 1);
  TrainedDit network(config, random_dit_weights(config, 1, options), c10::typeMetaToScalarType(options.dtype()), {});
  return ClipStage(s, std::move(network), [options](int64_t, int64_t first, int64_t count) {
    // Clips of one colour each: something a network this small can learn.
    const at::Tensor latents = draw(1, 0, {4, 1, 3, 1, 1}, options).expand({4, 4, 3, 4, 6});
    const at::Tensor text = draw(2, 0, {4, 4, 10}, options);
    return TextClips{latents.slice(0, first, first + count), text.slice(0, first, first + count)};
  });
}

// false: flow matching, true: teacher forcing.
class EveryClipObjective : public ::testing::TestWithParam<bool> {};

TEST_P(EveryClipObjective, LearnsFourClipsByHeart) {
  ClipStage run = stage(settings(GetParam(), {.global = 4, .micro = 4}));
  double first = 0, last = 0;
  for (int64_t step = 0; step < 120; ++step) {
    const double loss = run.step(step).metrics.at("generator_loss");
    (step < 20 ? first : last) += step < 20 || step >= 100 ? loss : 0;
  }
  EXPECT_LT(last, 0.8 * first);
}

TEST_P(EveryClipObjective, AResumedRunRepeatsTheNextStepsBitForBit) {
  const ClipStageSettings s = settings(GetParam(), {.global = 3, .micro = 2});
  ClipStage whole = stage(s), first = stage(s), second = stage(s), forgetful = stage(s);
  std::vector<StepMetrics> expected;
  for (int64_t step = 0; step < 6; ++step) expected.push_back(whole.step(step).metrics);
  for (int64_t step = 0; step < 3; ++step) first.step(step);
  second.restore(first.state());
  for (int64_t step = 3; step < 6; ++step) {
    EXPECT_EQ(second.step(step).metrics, expected[static_cast<size_t>(step)]);
    EXPECT_NE(forgetful.step(step).metrics, expected[static_cast<size_t>(step)]);  // the control
  }
  const StageState a = whole.state(), b = second.state();
  for (const auto& [name, tensors] : a.networks)
    for (size_t i = 0; i < tensors.size(); ++i)
      EXPECT_TRUE(at::equal(tensors[i].second, b.networks.at(name)[i].second)) << name << tensors[i].first;
}

TEST_P(EveryClipObjective, AccumulationMakesTheUpdateOfTheWholeBatch) {
  ClipStage at_once = stage(settings(GetParam(), {.global = 4, .micro = 4}), at::kDouble);
  ClipStage in_parts = stage(settings(GetParam(), {.global = 4, .micro = 3}), at::kDouble);
  for (int64_t step = 0; step < 3; ++step) {
    const double a = at_once.step(step).metrics.at("generator_loss");
    EXPECT_NEAR(in_parts.step(step).metrics.at("generator_loss"), a, 1e-9 * a);
  }
}

TEST_P(EveryClipObjective, RecordedOnAGpuTakesTheSameSteps) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU here";
  ClipStageSettings s = settings(GetParam(), {.global = 4, .micro = 3});
  ClipStage plain = stage(s, at::TensorOptions(at::kFloat).device(at::kCUDA));
  s.update.record_launches = true;
  ClipStage recorded = stage(s, at::TensorOptions(at::kFloat).device(at::kCUDA));
  for (int64_t step = 0; step < 6; ++step)
    EXPECT_EQ(recorded.step(step).metrics, plain.step(step).metrics) << "step " << step;
}

TEST_P(EveryClipObjective, SamplesAreOfTheClipsShapeAndOfTheSeed) {
  const ClipStage run = stage(settings(GetParam()));
  const at::Tensor text = draw(5, 0, {2, 4, 10}, at::TensorOptions(at::kFloat));
  const at::Tensor video = run.sample(text, 1);
  EXPECT_EQ(video.sizes(), at::IntArrayRef({2, 4, 3, 4, 6}));
  EXPECT_TRUE(at::equal(video, run.sample(text, 1)));
  EXPECT_FALSE(at::equal(video, run.sample(text, 2)));
}

INSTANTIATE_TEST_SUITE_P(Clips, EveryClipObjective, ::testing::Bool());

}  // namespace
}  // namespace sgf
