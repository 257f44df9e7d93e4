// The verdict on runs made to be well or ill in one way each.
#include "sgf/training/run/health.h"

#include "tests/core/refusal.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace sgf {
namespace {

using ::testing::HasSubstr;

// The metrics of a run that is well: noisy, and going nowhere.
double well(const std::string& name, int64_t step) {
  const double noise = 1 + 0.1 * std::sin(static_cast<double>(step) * 1.7);
  if (name == "recovery_relative_l2") return 1e-6 * noise;
  if (name == "latent_mean") return 0.02 * noise;
  return noise;
}

const std::vector<std::string> kNames = {"generator_loss",         "critic_loss",          "generator_grad_norm",
                                         "critic_grad_norm",       "latent_mean",          "latent_std",
                                         "dmdtrain_gradient_norm", "recovery_relative_l2", "motion_energy"};

// A run of `steps` in which one metric is `bent`, given how far the run has come, 0 to 1.
std::vector<MetricsRow> run_with(const std::string& bent_name, const std::function<double(double, double)>& bent,
                                 int64_t steps = 300, bool has_sample = true) {
  std::vector<MetricsRow> rows;
  for (int64_t step = 1; step <= steps; ++step) {
    MetricsRow row{.step = step, .metrics = {}};
    for (const std::string& name : kNames) {
      const double value = well(name, step), progress = static_cast<double>(step) / static_cast<double>(steps);
      row.metrics.push_back({name, name == bent_name ? bent(value, progress) : value});
    }
    rows.push_back(row);
  }
  if (has_sample) rows.back().metrics.insert(rows.back().metrics.begin(), {"sample_correlation", 0.9});
  return rows;
}

// Grows from 1 to `factor` times what it was.
std::function<double(double, double)> growing(double factor) {
  return [factor](double value, double progress) { return value * std::pow(factor, progress); };
}

void expect_finding(const std::vector<MetricsRow>& rows, HealthLevel level, const std::string& metric,
                    const std::string& words) {
  const HealthVerdict verdict = judge_health(rows);
  EXPECT_EQ(verdict.level, level);
  ASSERT_EQ(verdict.findings.size(), 1u) << metric;
  EXPECT_EQ(verdict.findings[0].metric, metric);
  EXPECT_THAT(verdict.findings[0].reason, HasSubstr(words));
}

TEST(Health, AQuietRunIsGoodAndEveryMetricWasJudged) {
  const HealthVerdict verdict = judge_health(run_with("", growing(1)));
  EXPECT_EQ(verdict.level, HealthLevel::kGood);
  EXPECT_TRUE(verdict.findings.empty());
  EXPECT_EQ(verdict.judged.size(), kNames.size());  // the generator's loss tells nothing: it is a surrogate
}

TEST(Health, ACriticWhoseLossRisesFallsBehind) {
  expect_finding(run_with("critic_loss", growing(2.2)), HealthLevel::kWatch, "critic_loss", "the critic falls behind");
  expect_finding(run_with("critic_loss", growing(8)), HealthLevel::kBad, "critic_loss", "times its best");
}

TEST(Health, ACriticIsHeldAgainstItsBestAndNotItsBeginning) {
  const auto dips = [](double value, double progress) { return progress > 0.4 && progress < 0.7 ? value / 5 : value; };
  expect_finding(run_with("critic_loss", dips), HealthLevel::kBad, "critic_loss", "5.0 times its best");
}

TEST(Health, ACriticWhoseLossFallsIsWell) {
  EXPECT_EQ(judge_health(run_with("critic_loss", growing(0.1))).level, HealthLevel::kGood);
}

TEST(Health, GradientNormsThatRiseAreNamed) {
  for (const char* name : {"generator_grad_norm", "critic_grad_norm", "dmdtrain_gradient_norm"}) {
    expect_finding(run_with(name, growing(9)), HealthLevel::kWatch, name, "gradients grow");
    expect_finding(run_with(name, growing(60)), HealthLevel::kBad, name, "gradients grow");
    EXPECT_EQ(judge_health(run_with(name, growing(0.05))).level, HealthLevel::kGood) << "falling is no fault";
  }
}

TEST(Health, LatentsThatSpreadShrinkOrDriftAreNamed) {
  expect_finding(run_with("latent_std", growing(1.6)), HealthLevel::kWatch, "latent_std", "latents spread");
  expect_finding(run_with("latent_std", growing(0.2)), HealthLevel::kBad, "latent_std", "latents shrink");
  const auto drift = [](double shift) {
    return [shift](double value, double progress) { return value - shift * progress; };
  };
  expect_finding(run_with("latent_mean", drift(0.6)), HealthLevel::kWatch, "latent_mean", "latents drift");
  expect_finding(run_with("latent_mean", drift(2)), HealthLevel::kBad, "latent_mean", "latents drift");
  EXPECT_EQ(judge_health(run_with("latent_mean", drift(0.1))).level, HealthLevel::kGood);
}

TEST(Health, MotionThatDiesIsNamedAndMotionThatGrowsIsNot) {
  expect_finding(run_with("motion_energy", growing(1.0 / 4)), HealthLevel::kWatch, "motion_energy", "motion falls");
  expect_finding(run_with("motion_energy", growing(1.0 / 40)), HealthLevel::kBad, "motion_energy", "motion falls");
  EXPECT_EQ(judge_health(run_with("motion_energy", growing(4))).level, HealthLevel::kGood);
}

TEST(Health, MotionOfNothingAtAllIsBad) {
  const auto stops = [](double value, double progress) { return progress > 0.5 ? 0 : value; };
  expect_finding(run_with("motion_energy", stops), HealthLevel::kBad, "motion_energy", "motion falls");
}

TEST(Health, PassesThatStopMatchingAreNamed) {
  const auto off = [](double by) {
    return [by](double value, double progress) { return progress > 0.5 ? by : value; };
  };
  expect_finding(run_with("recovery_relative_l2", off(0.05)), HealthLevel::kWatch, "recovery_relative_l2", "0.05 off");
  expect_finding(run_with("recovery_relative_l2", off(0.5)), HealthLevel::kBad, "recovery_relative_l2", "do not match");
  EXPECT_EQ(judge_health(run_with("recovery_relative_l2", off(0.01))).level, HealthLevel::kGood) << "bfloat16";
}

TEST(Health, ValuesThatAreNotFiniteAreCounted) {
  const auto lost = [](double value, double progress) { return progress > 0.98 ? std::nan("") : value; };
  expect_finding(run_with("generator_loss", lost), HealthLevel::kWatch, "generator_loss", "6 of its last 50 values");
}

// A run that is well otherwise, with samples every 100 steps that have these values of one metric.
std::vector<MetricsRow> run_with_samples(const std::string& name, const std::vector<double>& values) {
  std::vector<MetricsRow> rows = run_with("", growing(1), 300, /*has_sample=*/false);
  for (size_t i = 0; i < values.size(); ++i) rows[100 * i + 99].metrics.push_back({name, values[i]});
  return rows;
}

TEST(Health, SamplesOfPureNoiseAreNamedThoughAllElseIsWell) {
  EXPECT_EQ(judge_health(run_with_samples("sample_correlation", {0.3, 0.9})).level, HealthLevel::kGood);
  expect_finding(run_with_samples("sample_correlation", {0.01, 0.02}), HealthLevel::kWatch, "sample_correlation",
                 "update 201 look like noise (0.02): train for longer");
}

TEST(Health, SamplesThatTurnedIntoNoiseAreWorseThanAYoungRun) {
  expect_finding(run_with_samples("sample_correlation", {0.9, 0.02}), HealthLevel::kBad, "sample_correlation",
                 "those of update 101 did not: continue from an earlier checkpoint");
}

TEST(Health, FlatFramesAndPixelsOutOfRangeAreNamed) {
  expect_finding(run_with_samples("sample_contrast", {0.001}), HealthLevel::kWatch, "sample_contrast", "flat frames");
  expect_finding(run_with_samples("sample_clipped", {0.6}), HealthLevel::kWatch, "sample_clipped", "range of colours");
  EXPECT_EQ(judge_health(run_with_samples("sample_contrast", {0.1})).level, HealthLevel::kGood);
  EXPECT_EQ(judge_health(run_with_samples("sample_clipped", {0.1})).level, HealthLevel::kGood);
}

TEST(Health, SamplesThatShowAnotherThingThanTheirPromptAreNamed) {
  expect_finding(run_with_samples("sample_valid", {0, 0.05}), HealthLevel::kWatch, "sample_valid",
                 "5 % of the frames sampled at update");
  EXPECT_EQ(judge_health(run_with_samples("sample_valid", {0, 0.5})).level, HealthLevel::kGood);
}

TEST(Health, SamplesThatGotWorseAreHeldAgainstTheBest) {
  expect_finding(run_with_samples("sample_valid", {0.8, 0.4}), HealthLevel::kWatch, "sample_valid",
                 "40 % of their frames show what the prompt says, 80 % did at update 101");
  expect_finding(run_with_samples("sample_valid", {0.8, 0}), HealthLevel::kBad, "sample_valid", "got worse");
  EXPECT_EQ(judge_health(run_with_samples("sample_valid", {0.8, 0.7})).level, HealthLevel::kGood);
}

TEST(Health, NoiseIsNotNamedTwice) {
  std::vector<MetricsRow> rows = run_with_samples("sample_correlation", {0.01});
  rows[99].metrics.push_back({"sample_valid", 0});
  expect_finding(rows, HealthLevel::kWatch, "sample_correlation", "noise");
}

TEST(Health, ARunWithoutSamplesIsNotCalledGood) {
  expect_finding(run_with("", growing(1), 300, /*has_sample=*/false), HealthLevel::kWatch, "output.sample_every",
                 "no sample was taken");
  EXPECT_EQ(judge_health(run_with_samples("sample_valid", {1})).level, HealthLevel::kGood) << "the control";
}

TEST(Health, OneSpikeSaysNothing) {
  const auto spike = [](double value, double progress) { return std::abs(progress - 0.99) < 0.002 ? 1e6 : value; };
  EXPECT_EQ(judge_health(run_with("critic_grad_norm", spike)).level, HealthLevel::kGood);
}

TEST(Health, AFewStepsAreTooEarlyToJudge) {
  const HealthVerdict verdict = judge_health(run_with("critic_loss", growing(1000), 5, /*has_sample=*/false));
  EXPECT_EQ(verdict.level, HealthLevel::kWatch);
  EXPECT_THAT(verdict.findings.at(0).reason, HasSubstr("only 5 updates so far"));
  EXPECT_EQ(judge_health({}).level, HealthLevel::kWatch);
}

TEST(Health, TheWorstFindingComesFirstAndIsTheVerdict) {
  std::vector<MetricsRow> rows = run_with("critic_loss", growing(2.2));
  const std::vector<MetricsRow> dying = run_with("motion_energy", growing(1.0 / 40));
  for (size_t i = 0; i < rows.size(); ++i) rows[i].metrics.back().value = *dying[i].find("motion_energy");
  const HealthVerdict verdict = judge_health(rows);
  EXPECT_EQ(verdict.level, HealthLevel::kBad);
  ASSERT_EQ(verdict.findings.size(), 2u);
  EXPECT_EQ(verdict.findings[0].metric, "motion_energy");
  EXPECT_EQ(verdict.findings[1].metric, "critic_loss");
}

TEST(Health, RefusesThresholdsThatLeaveNoWindow) {
  EXPECT_THAT(refusal_of([] { judge_health({}, {.minimum_values = 2}); }), HasSubstr("got 2 and 50"));
}

}  // namespace
}  // namespace sgf
