// Videos of many-step models: whose they are, and that neither the batch nor a fine solver changes them.
#include "sgf/streaming/sample_many_steps.h"

#include "sgf/assembly/networks_from_config.h"
#include "sgf/core/error.h"
#include "sgf/world/codec.h"
#include "sgf/world/text.h"
#include "tests/core/refusal.h"
#include "tests/model/tiny_dit.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace sgf {
namespace {

using testing::relative_l2;

class ManySteps : public ::testing::TestWithParam<SampleMode> {
 protected:
  ManySteps() {
    Config& c = request_.config;
    c = load_config("world-tiny", {}, {SGF_PRESETS});
    c.model.dim = c.model.ffn_dim = 24;
    c.model.num_heads = 2;
    c.model.num_layers = 1;
    c.video.frames = 6;
    c.run.device = DeviceKind::kCpu;
    c.run.dtype = ComputeDtype::kFloat64;
    request_.prompts = {"a red disc", "a blue square", "a green triangle"};
    request_.mode = GetParam();
    request_.sampler = {.steps = 4, .guidance = 1.5};
    const WorldPreset world = world_preset(c.data.world);
    parts_.dit = std::make_shared<CausalDit>(build_network(c, "", parts_.device));
    parts_.text = std::make_shared<WorldTextEncoder>(world, at::TensorOptions());
    parts_.codec = std::make_shared<WorldCodec>(world);
  }

  std::map<int64_t, at::Tensor> videos() const {
    std::map<int64_t, at::Tensor> out;
    sample_many_steps(request_, parts_, [&](int64_t number, const at::Tensor& video) { out[number] = video; });
    return out;
  }

  SampleRequest request_;
  StreamParts parts_;
};

TEST_P(ManySteps, ANetworkThatRanAwayMakesNoVideo) {
  parts_.dit->weights().head.weight.fill_(std::nan(""));
  EXPECT_THAT(refusal_of([&] { videos(); }), ::testing::HasSubstr("video 1 has latents that are not finite"));
}

TEST_P(ManySteps, AVideoDoesNotDependOnItsBatch) {
  request_.batch = 3;
  const auto together = videos();
  request_.batch = 2;
  const auto apart = videos();
  ASSERT_EQ(together.size(), 3U);
  for (const auto& [number, video] : together) {
    EXPECT_EQ(video.sizes(), at::IntArrayRef({6, 3, 16, 16}));
    EXPECT_LT(relative_l2(apart.at(number), video), 1e-10);
  }
  EXPECT_GT(relative_l2(together.at(1), together.at(0)), 1e-3);  // the control
}

TEST_P(ManySteps, BothSolversAgreeInTheLimitAndNotBefore) {
  request_.prompts.resize(1);
  const auto distance = [&](int64_t steps) {
    request_.sampler.steps = steps;
    request_.sampler.solver = Solver::kEuler;
    const at::Tensor euler = videos().at(0);
    request_.sampler.solver = Solver::kUniPc;
    return relative_l2(videos().at(0), euler);
  };
  const double coarse = distance(4), fine = distance(200);
  EXPECT_GT(coarse, 1e-4);
  EXPECT_LT(fine, coarse / 4);
}

TEST_P(ManySteps, GuidanceAndSeedMatter) {
  request_.prompts.resize(1);
  const at::Tensor before = videos().at(0);
  request_.sampler.guidance = 3;
  EXPECT_GT(relative_l2(videos().at(0), before), 1e-6);
  request_.sampler.guidance = 1.5;
  EXPECT_TRUE(at::equal(videos().at(0), before));
  request_.config.run.seed = 99;
  EXPECT_GT(relative_l2(videos().at(0), before), 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Modes, ManySteps, ::testing::Values(SampleMode::kAtOnce, SampleMode::kBlocks));

TEST(SampleMode, IsThatOfTheStageAndAFewStepStudentHasNone) {
  Config c;
  c.train.stage = StageChoice::kFlowMatching;
  EXPECT_EQ(sample_mode_of(c), SampleMode::kAtOnce);
  c.train.stage = StageChoice::kTeacherForcing;
  EXPECT_EQ(sample_mode_of(c), SampleMode::kBlocks);
  c.train.stage = StageChoice::kCausalCd;
  EXPECT_THAT(refusal_of([&] { sample_mode_of(c); }), ::testing::HasSubstr("sgf generate"));
}

}  // namespace
}  // namespace sgf
