// Intervals of means: what is known of simple samples, and what pairing and seeds do to them.
#include "lab/study/bootstrap.h"
#include "lab/study/watched_frames.h"
#include "tests/core/refusal.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sgf {
namespace {

PromptValues ramp(int64_t count, double first, double step) {
  PromptValues values;
  for (int64_t i = 0; i < count; ++i) values.push_back(first + step * static_cast<double>(i));
  return values;
}

TEST(Bootstrap, HasTheWidthOfTheNormalIntervalOnAKnownSample) {
  const PromptValues values = ramp(200, 0, 1.0 / 199);  // mean .5, deviation .29
  const Interval interval = Bootstrap({.resamples = 4000}, 200).of({values});
  const double error = std::sqrt((200.0 + 1) / (12 * 199.0)) / std::sqrt(200.0);
  EXPECT_NEAR(interval.mean, 0.5, 1e-12);
  EXPECT_NEAR(interval.low, 0.5 - 1.96 * error, 0.004);
  EXPECT_NEAR(interval.high, 0.5 + 1.96 * error, 0.004);
  EXPECT_EQ(interval.count, 200);
}

TEST(Bootstrap, TellsHowFarAwayZeroIs) {
  const Bootstrap bootstrap({.resamples = 4000}, 100);
  const double error = 0.2917 / std::sqrt(100.0);  // of the mean of a ramp from 0 to 1
  const auto p = [&](double mean) { return bootstrap.of({ramp(100, mean - 0.5, 1.0 / 99)}).p; };
  EXPECT_NEAR(p(0), 1, 0.06);
  EXPECT_NEAR(p(1.96 * error), 0.05, 0.015);
  EXPECT_NEAR(p(-1.96 * error), 0.05, 0.015);
  EXPECT_NEAR(p(1), 2.0 / 4001, 1e-9);  // none of the resamples: no smaller than they can tell
}

TEST(Bootstrap, IsAPointWhereAllValuesAreTheSame) {
  const Interval interval = Bootstrap({}, 5).of({PromptValues(5, 0.25)});
  EXPECT_EQ(interval.low, 0.25);
  EXPECT_EQ(interval.high, 0.25);
}

TEST(Bootstrap, RepeatsWithItsSeedAndNotWithAnother) {
  const PromptValues values = ramp(50, 0, 0.1);
  const Interval once = Bootstrap({.seed = 3}, 50).of({values}), again = Bootstrap({.seed = 3}, 50).of({values});
  EXPECT_EQ(once.low, again.low);
  EXPECT_NE(once.low, Bootstrap({.seed = 4}, 50).of({values}).low);
}

TEST(Bootstrap, SeedsThatDisagreeWidenTheInterval) {
  const PromptValues low(30, 0.0), high(30, 1.0), middle(30, 0.5);
  const Bootstrap bootstrap({}, 30);
  const Interval apart = bootstrap.of({low, high}), together = bootstrap.of({middle, middle});
  EXPECT_EQ(apart.mean, together.mean);
  EXPECT_GT(apart.high - apart.low, 0.9);
  EXPECT_EQ(together.high - together.low, 0);
}

TEST(Bootstrap, PairingTakesAwayWhatPromptsShare) {
  const PromptValues a = ramp(40, 0, 1), b = ramp(40, 0.1, 1);
  const Bootstrap bootstrap({}, 40);
  const Interval paired = bootstrap.of({paired_difference(b, a)});
  EXPECT_NEAR(paired.low, 0.1, 1e-9);
  EXPECT_NEAR(paired.high, 0.1, 1e-9);
  EXPECT_GT(bootstrap.of({a}).high, bootstrap.of({b}).low);  // unpaired, the two cannot be told apart
}

TEST(Bootstrap, LeavesOutWhatIsNotThere) {
  PromptValues values = ramp(10, 1, 0);
  values[3].reset();
  EXPECT_EQ(Bootstrap({}, 10).of({values}).count, 9);
  EXPECT_EQ(Bootstrap({}, 10).of({values}).mean, 1);
  EXPECT_EQ(paired_difference(values, ramp(10, 0, 0))[3], std::nullopt);
  EXPECT_EQ(Bootstrap({}, 2).of({PromptValues(2)}).count, 0);
  EXPECT_THAT(refusal_of([&] { Bootstrap({}, 9).of({values}); }), ::testing::HasSubstr("got 10 values for 9"));
}

TEST(WatchedFrames, AreTheFirstWindowAndALengthBeforeEachEnd) {
  const WatchedFrames watched(6, 4, {1, 3, 12});
  EXPECT_EQ(watched.video_frames(), 72);
  EXPECT_EQ(watched.frames().size(), 18u);
  EXPECT_EQ(watched.segments(), (std::vector<FrameSpan>{{0, 6}, {6, 12}, {12, 18}}));
  EXPECT_EQ(watched.runs(), (std::vector<FrameSpan>{{0, 6}, {12, 18}, {66, 72}}));
  EXPECT_EQ(watched.places_in({12, 15}), (FrameSpan{6, 9}));
  EXPECT_TRUE(watched.places_in({20, 23}).empty());
}

TEST(WatchedFrames, KeepTheWindowWhereNoSegmentHoldsIt) {
  const WatchedFrames watched(6, 4, {12});
  EXPECT_EQ(watched.runs(), (std::vector<FrameSpan>{{0, 4}, {66, 72}}));
  EXPECT_EQ(watched.segments(), (std::vector<FrameSpan>{{4, 10}}));
}

}  // namespace
}  // namespace sgf
