// The two arms of a pair: the same prompts, noise, exits and start; the boundary is all that differs.
#include "lab/study/arm_file.h"
#include "lab/study/gradient_probe.h"
#include "lab/study/train_arm.h"
#include "sgf/diagnosis/boundary_gap.h"
#include "sgf/files/tensor_file.h"
#include "sgf/runs/metrics_log.h"
#include "sgf/training/build_stage.h"
#include "tests/core/refusal.h"
#include "tests/lab/study/small_study.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

using testing::SmallStudy;

constexpr StudyArm kSf1{Granularity::kChunkwise, ArmKind::kSf, 1}, kSgf1{Granularity::kChunkwise, ArmKind::kSgf, 1},
    kSf2{Granularity::kChunkwise, ArmKind::kSf, 2};

DmdParts parts_of(const Study& study, const StudyArm& arm) {
  const Config config = study.config_of(arm);
  return build_dmd_parts(config, build_conditioning(config, at::kCPU), at::kCPU);
}

// What an update of the arm draws: text, first noise, score noise and the exit, as one row of numbers.
at::Tensor draws_of(const Study& study, const StudyArm& arm, UpdateKind kind, int64_t step) {
  const DmdParts parts = parts_of(study, arm);
  const DmdBatch batch = dmd_batch(parts.settings, parts.data, parts.generator.network(), kind, step,
                                   {.first = 0, .count = parts.settings.batch.micro});
  const BlockNoise noise = batch.draws.noise(kind, batch.latent, batch.options);
  const int64_t exit = batch.draws.exit(kind, {1, 4});
  const std::vector<ScoreTimes> times(static_cast<size_t>(batch.latent[0]));
  return at::cat({batch.text.cond.flatten(), noise({0, 3}, 0).flatten(), noise({3, 6}, 2).flatten(),
                  batch.draws.score(kind, batch.latent, batch.options, times).noise.flatten(),
                  at::full({1}, static_cast<double>(exit))});
}

TEST(MatchedPair, SeesTheSamePromptsNoiseAndExits) {
  const SmallStudy small;
  for (const UpdateKind kind : {UpdateKind::kGenerator, UpdateKind::kCritic})
    for (const int64_t step : {0, 5}) {
      const at::Tensor sf = draws_of(small.study, kSf1, kind, step);
      EXPECT_TRUE(at::equal(sf, draws_of(small.study, kSgf1, kind, step)));
      EXPECT_FALSE(at::equal(sf, draws_of(small.study, kSf2, kind, step)));  // another pair has draws of its own
    }
}

std::vector<double> metric_over_time(const Study& study, const StudyArm& arm, std::string_view name) {
  std::vector<double> values;
  for (const MetricsRow& row : read_metrics(study.run_of(arm) / "metrics.jsonl").rows)
    if (const double* value = row.find(name)) values.push_back(*value);
  return values;
}

TEST(MatchedPair, RunsAlikeUntilTheFirstGradientOfTheGenerator) {
  const SmallStudy small;
  for (const StudyArm& arm : {kSf1, kSgf1, kSf2})
    ASSERT_EQ(train_arm(small.study, arm, "test", ProgressMode::kQuiet).end, TrainEnd::kDone);
  const auto metric = [&](const StudyArm& arm, std::string_view name) {
    return metric_over_time(small.study, arm, name);
  };
  // Steps 0 to 6: the generator is updated at 3 and 6.
  EXPECT_EQ(metric(kSf1, "exit_step").size(), 2u);
  EXPECT_EQ(metric(kSf1, "exit_step"), metric(kSgf1, "exit_step"));
  EXPECT_EQ(metric(kSf1, "generator_loss")[0], metric(kSgf1, "generator_loss")[0]);
  EXPECT_NE(metric(kSf1, "generator_grad_norm")[0], metric(kSgf1, "generator_grad_norm")[0]);
  for (size_t step = 0; step < 3; ++step) {
    EXPECT_EQ(metric(kSf1, "critic_loss")[step], metric(kSgf1, "critic_loss")[step]);
    EXPECT_NE(metric(kSf1, "critic_loss")[step], metric(kSf2, "critic_loss")[step]);
  }
  const nlohmann::json sf = training_facts(small.study, kSf1), sgf = training_facts(small.study, kSgf1);
  EXPECT_EQ(sf.at("exits_sha256"), sgf.at("exits_sha256"));
  EXPECT_EQ(sf.at("student_sha256"), sgf.at("student_sha256"));
  EXPECT_EQ(sf.at("generator_updates"), 2);
}

TEST(MatchedPair, ForTwiceTheStepsBeginsAsForTheUsualOnes) {
  const SmallStudy small;
  StudyArm longer = kSf1;
  longer.is_twice = true;
  for (const StudyArm& arm : {kSf1, longer})
    ASSERT_EQ(train_arm(small.study, arm, "test", ProgressMode::kQuiet).end, TrainEnd::kDone);
  for (const char* name : {"critic_loss", "generator_loss", "exit_step"}) {
    const std::vector<double> usual = metric_over_time(small.study, kSf1, name);
    std::vector<double> twice = metric_over_time(small.study, longer, name);
    EXPECT_EQ(twice.size(), 2 * usual.size()) << name;
    twice.resize(usual.size());
    EXPECT_EQ(twice, usual) << name;
  }
  EXPECT_EQ(training_facts(small.study, longer).at("steps"), 14);
  EXPECT_FALSE(last_state_of(small.study, longer).empty());
  EXPECT_NE(small.study.weights_of(longer), small.study.weights_of(kSf1));
}

TEST(MatchedPair, KeepsWeightsInSixteenBitsUnderTheRecipesHash) {
  const SmallStudy small;
  EXPECT_FALSE(has_weights(small.study, kSf1));
  EXPECT_THAT(refusal_of([&] { weights_of_arm(small.study, kSf1); }), ::testing::HasSubstr("is not trained yet"));
  train_arm(small.study, kSf1, "test", ProgressMode::kQuiet);
  EXPECT_TRUE(has_weights(small.study, kSf1));
  for (const TensorEntry& entry : open_tensor_file(small.study.weights_of(kSf1)).entries)
    EXPECT_EQ(entry.dtype, DType::kBF16) << entry.name;
  EXPECT_FALSE(last_state_of(small.study, kSf1).empty());
  drop_states(small.study, kSf1);
  EXPECT_TRUE(last_state_of(small.study, kSf1).empty());
  EXPECT_EQ(weights_of_arm(small.study, kSf1), small.study.weights_of(kSf1));
  Study other = small.study;
  other.file.sha256 = "another";
  EXPECT_THAT(refusal_of([&] { has_weights(other, kSf1); }), ::testing::HasSubstr("belongs to another recipe"));
}

TEST(GradientProbe, AddsUpToTheWholeGradientAndLeavesTheHeadAlone) {
  const SmallStudy small;
  const DmdParts parts = parts_of(small.study, kSf1);
  const std::vector<LayerProbe> probes = probe_context_gradient(parts, 4, 1);
  const BoundaryGap gap = boundary_gap(parts, 4);
  std::map<std::string, LayerProbe> by_layer;
  for (const LayerProbe& probe : probes) by_layer[probe.layer] = probe;
  EXPECT_NEAR(by_layer.at("all").context_norm, gap.context_norm, 1e-6 * gap.context_norm);
  EXPECT_NEAR(by_layer.at("all").ratio, gap.context_norm / gap.norm_frozen, 1e-6);
  EXPECT_NEAR(by_layer.at("all").cosine, gap.cosine, 1e-6);
  EXPECT_GT(by_layer.at("blocks.0").ratio, 0);
  EXPECT_GT(by_layer.at("head").frozen_norm, 0);
  EXPECT_EQ(by_layer.at("head").context_norm, 0);  // no key or value passes through it
}

TEST(GradientProbe, NamesLayersByTheirWeights) {
  EXPECT_EQ(layer_of("blocks.13.self_attn.q.weight"), "blocks.13");
  EXPECT_EQ(layer_of("head.head.bias"), "head");
  EXPECT_EQ(layer_of("patch_embedding.weight"), "patch_embedding");
}

}  // namespace
}  // namespace sgf
