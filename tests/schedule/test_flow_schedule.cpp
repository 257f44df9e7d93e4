// The schedule's numbers, worked out by hand or recorded from Self-Forcing's FlowMatchScheduler.
#include "sgf/schedule/flow_schedule.h"

#include "sgf/core/error.h"
#include "sgf/core/noise.h"
#include "sgf/files/tensor_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

namespace sgf {
namespace {

std::vector<float> recorded_floats(const std::string& name) {
  const TensorFile file = open_tensor_file(SGF_TEST_DATA "/reference/schedule_a.safetensors");
  const auto bytes = file.bytes(*file.find(name));
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(FlowSchedule, ShiftKeepsTheEndsAndLiftsTheMiddle) {
  EXPECT_EQ(shift_sigma(0, 5), 0);
  EXPECT_EQ(shift_sigma(1, 5), 1);
  EXPECT_DOUBLE_EQ(shift_sigma(0.5, 5), 2.5 / 3);
  EXPECT_DOUBLE_EQ(shift_sigma(0.3, 1), 0.3);
}

TEST(FlowSchedule, WarpsTheStudentsStepsToTheOnesActuallyUsed) {
  const std::vector<double> steps = {1000, 750, 500, 250};
  const auto warped = FlowSchedule().warp(steps);
  EXPECT_EQ(warped[0], 1000);
  EXPECT_EQ(warped[1], 937.5);
  EXPECT_DOUBLE_EQ(warped[2], 2500.0 / 3);
  EXPECT_EQ(warped[3], 625);
}

TEST(FlowSchedule, ShiftOneWarpsNothing) {
  const std::vector<double> steps = {1000, 750, 500, 250};
  EXPECT_EQ(FlowSchedule(1.0).warp(steps), steps);
}

TEST(FlowSchedule, NearestEntryIsTheNearest) {
  const FlowSchedule schedule(5.0, 50);
  for (double timestep = 0; timestep <= 1000; timestep += 0.73) {
    double nearest = 1e9;
    for (const double entry : schedule.timesteps()) nearest = std::min(nearest, std::abs(entry - timestep));
    const double found = schedule.timesteps()[schedule.nearest_entry(timestep)];
    EXPECT_EQ(std::abs(found - timestep), nearest) << timestep;
  }
}

TEST(FlowSchedule, TrainingWeightsAverageOneAndVanishAtPureNoise) {
  const FlowSchedule schedule;
  const auto& weights = schedule.training_weights();
  EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0) / 1000, 1, 1e-12);
  EXPECT_EQ(schedule.training_weight(1000), 0);
  EXPECT_GT(schedule.training_weight(500), schedule.training_weight(300));
  EXPECT_GT(schedule.training_weight(500), schedule.training_weight(700));
}

TEST(FlowSchedule, ScoreTimesAreShiftedAndClamped) {
  EXPECT_EQ(score_timestep(0), 20);
  EXPECT_EQ(score_timestep(999), 980);
  EXPECT_DOUBLE_EQ(score_timestep(500), 2500.0 / 3);
  EXPECT_DOUBLE_EQ(score_timestep(100), 500 / 1.4);
  EXPECT_EQ(score_timestep(0, 5.0, {.low = 0, .high = 1000}), 0);
}

TEST(FlowSchedule, DrawnScoreTimesCoverTheRange) {
  double low = 1000, high = 0;
  for (int64_t sample = 0; sample < 5000; ++sample) {
    const double t = draw_score_timestep({.purpose = NoisePurpose::kScoreTimestep, .sample = sample});
    low = std::min(low, t);
    high = std::max(high, t);
  }
  EXPECT_EQ(low, 20);
  EXPECT_EQ(high, 980);
}

TEST(FlowSchedule, DrawnScoreTimesKeepToTheLeast) {
  const double step = 1000 * shift_sigma(0.25, 5.0);  // 625, which index 250 is
  double low = 1000, high = 0;
  for (int64_t sample = 0; sample < 5000; ++sample) {
    const NoiseKey key{.purpose = NoisePurpose::kScoreTimestep, .sample = sample};
    const double t = draw_score_timestep(key, {.shift = 5, .least = step});
    low = std::min(low, t);
    high = std::max(high, t);
  }
  EXPECT_DOUBLE_EQ(low, step);
  EXPECT_EQ(high, 980);
  EXPECT_EQ(draw_score_timestep({}, {.shift = 0.001, .least = 980}), score_timestep(999, 0.001)) << "none is above it";
  EXPECT_THROW(draw_score_timestep({}, {.least = 981}), Error);
}

TEST(FlowSchedule, RefusesWhatIsNoSchedule) {
  EXPECT_THROW(FlowSchedule(0.0), Error);
  EXPECT_THROW(FlowSchedule(5.0, 0), Error);
  EXPECT_THROW(FlowSchedule().nearest_entry(-1), Error);
  EXPECT_THROW(FlowSchedule().nearest_entry(1000.1), Error);
  EXPECT_THROW(score_timestep(1000), Error);
}

// The recording is float32: 1e-6 of the largest entry.
void expect_near_recorded(const std::vector<double>& got, const std::string& name) {
  const std::vector<float> expected = recorded_floats(name);
  ASSERT_EQ(got.size(), expected.size());
  const double largest = *std::ranges::max_element(expected);
  for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], 1e-6 * largest) << name << " " << i;
}

TEST(FlowSchedule, AgreesWithTheRecordedTable) {
  const FlowSchedule schedule(5.0, 1000);
  expect_near_recorded(schedule.sigmas(), "out.sigmas");
  expect_near_recorded(schedule.timesteps(), "out.timesteps");
  expect_near_recorded(schedule.training_weights(), "out.training_weights");
}

}  // namespace
}  // namespace sgf
