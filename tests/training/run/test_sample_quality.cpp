// What samples are told apart by: clips of the world, noise, flat frames, and other clips' prompts.
#include "sgf/training/run/sample_quality.h"

#include "sgf/training/run/health.h"
#include "sgf/world/codec.h"
#include "sgf/world/render.h"
#include "sgf/world/scene.h"
#include "sgf/world/source.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sgf {
namespace {

using ::testing::Contains;
using ::testing::Key;
using ::testing::Not;

constexpr uint64_t kSeed = 5;
constexpr int64_t kFrames = 12;

std::string prompt_of(const char* world, int64_t clip) {
  return WorldSource(world_preset(world), kSeed).prompts(clip, 1).front();
}

SampleView view_of(const char* world, const at::Tensor& latents, const std::string& prompt) {
  return {latents[0], WorldCodec(world_preset(world)).decode(latents)[0], prompt, world};
}

at::Tensor latents_of(const char* world, int64_t clip) {
  const WorldPreset preset = world_preset(world);
  return WorldCodec(preset).encode(render(preset, {{draw_scene(preset, kSeed, clip), {0, kFrames}}}));
}

SampleView clip(const char* world, int64_t number) {
  return view_of(world, latents_of(world, number), prompt_of(world, number));
}

SampleView noise(const char* world) {
  at::manual_seed(1);
  return view_of(world, at::randn_like(latents_of(world, 0)), prompt_of(world, 0));
}

// As a run whose only sample it is would be judged.
HealthVerdict verdict_of(const StepMetrics& metrics) {
  MetricsRow row{.step = 0, .metrics = {}};
  for (const auto& [name, value] : metrics) row.metrics.push_back({name, value});
  return judge_health(std::vector{row});
}

class EveryWorld : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryWorld, ItsClipsAreNoNoiseAndShowTheirPrompts) {
  for (int64_t number = 0; number < 4; ++number) {
    const StepMetrics metrics = measure_sample(clip(GetParam(), number));
    EXPECT_GT(metrics.at("sample_correlation"), 0.7);
    EXPECT_GT(metrics.at("sample_contrast"), 0.06);
    EXPECT_LT(metrics.at("sample_clipped"), 0.02);
    EXPECT_GT(metrics.at("sample_valid"), 0.7);
    EXPECT_EQ(verdict_of(metrics).level, HealthLevel::kGood);
  }
}

TEST_P(EveryWorld, NoiseIsKnownByItsCorrelationAndShowsNoPrompt) {
  const StepMetrics metrics = measure_sample(noise(GetParam()));
  EXPECT_NEAR(metrics.at("sample_correlation"), 0, 0.1);
  EXPECT_LT(metrics.at("sample_valid"), 0.1);
  const HealthVerdict verdict = verdict_of(metrics);
  EXPECT_EQ(verdict.level, HealthLevel::kWatch);
  EXPECT_EQ(verdict.findings.at(0).metric, "sample_correlation");
}

INSTANTIATE_TEST_SUITE_P(Worlds, EveryWorld, ::testing::Values("world-tiny", "world-small"),
                         [](const auto& world) { return std::string(world.param).replace(5, 1, "_"); });

TEST(SampleQuality, FlatFramesHaveNoContrastAndAreNotTakenForNoise) {
  const StepMetrics metrics =
      measure_sample(view_of("world-tiny", at::zeros_like(latents_of("world-tiny", 0)), prompt_of("world-tiny", 0)));
  EXPECT_NEAR(metrics.at("sample_contrast"), 0, 1e-6);
  EXPECT_EQ(metrics.at("sample_correlation"), 1);
  EXPECT_EQ(verdict_of(metrics).findings.at(0).metric, "sample_contrast");
}

TEST(SampleQuality, PixelsOutOfRangeAreCounted) {
  const SampleView view = view_of("world-tiny", 10 * latents_of("world-tiny", 0), prompt_of("world-tiny", 0));
  EXPECT_GT(measure_sample(view).at("sample_clipped"), 0.5);
}

TEST(SampleQuality, PromptsThatNameNoClipOfTheWorldAreNotMeasured) {
  SampleView view = clip("world-tiny", 0);
  view.prompt = "a red";
  EXPECT_THAT(measure_sample(view), Not(Contains(Key("sample_valid"))));
  view = clip("world-tiny", 0);
  view.world.clear();
  EXPECT_THAT(measure_sample(view), Not(Contains(Key("sample_valid"))));
}

TEST(SampleQuality, WhatIsNotFiniteIsSaidToBe) {
  SampleView view = clip("world-tiny", 0);
  view.latents[0][0][0][0] = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(std::isnan(measure_sample(view).at("sample_correlation")));
}

TEST(SampleQuality, MeansAreOfTheSamplesThatHaveTheMetric) {
  EXPECT_EQ(mean_of_samples({{{"a", 1}, {"b", 4}}, {{"a", 3}}}), (StepMetrics{{"a", 2}, {"b", 4}}));
  EXPECT_TRUE(mean_of_samples({}).empty());
}

}  // namespace
}  // namespace sgf
