// When an update is skipped, when a run is stopped, and that a resumed watch judges as the one before.
#include "sgf/training/gradient_watch.h"

#include "tests/core/refusal.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

namespace sgf {
namespace {

using ::testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Norms about 1, as of a quiet run.
double quiet_norm(int64_t i) { return 1.0 + 0.1 * std::sin(static_cast<double>(i)); }

GradientWatch settled(GradientLimits limits = {}) {
  GradientWatch watch(limits);
  for (int64_t i = 0; i < limits.window; ++i) watch.judge(quiet_norm(i));
  return watch;
}

TEST(GradientWatch, SkipsANormOverTwentyTimesTheMedianAndSaysSo) {
  GradientWatch watch = settled();
  EXPECT_EQ(watch.judge(25), GradientVerdict::kSkip);
  EXPECT_THAT(watch.reason(), HasSubstr("is 25, 25 times its median of"));
  EXPECT_EQ(watch.history().skipped, 1);
}

TEST(GradientWatch, AppliesANormUnderTwentyTimesTheMedian) {
  GradientWatch watch = settled();
  EXPECT_EQ(watch.judge(19), GradientVerdict::kApply);
  EXPECT_EQ(watch.reason(), "");
  EXPECT_EQ(watch.history().skipped, 0);
}

TEST(GradientWatch, SkipsWhatIsNotFiniteFromTheFirstStepOn) {
  GradientWatch watch;
  EXPECT_EQ(watch.judge(std::nan("")), GradientVerdict::kSkip);
  EXPECT_THAT(watch.reason(), HasSubstr("nan"));
  EXPECT_EQ(watch.judge(kInfinity), GradientVerdict::kSkip);
  EXPECT_EQ(watch.judge(1), GradientVerdict::kApply);
}

TEST(GradientWatch, DoesNotTrustTheMedianOfTooFewNorms) {
  GradientWatch watch({.minimum = 5});
  for (int i = 0; i < 4; ++i) watch.judge(1);
  EXPECT_EQ(watch.judge(1000), GradientVerdict::kApply);
  EXPECT_EQ(watch.judge(1000), GradientVerdict::kSkip);  // now there are five, and their median is 1
}

TEST(GradientWatch, SkippedNormsDoNotEnterTheMedian) {
  GradientWatch watch = settled({.stop_after = 1000});
  for (int i = 0; i < 500; ++i) EXPECT_EQ(watch.judge(1000), GradientVerdict::kSkip);
  EXPECT_NEAR(*watch.median(), 1, 0.1);
}

TEST(GradientWatch, TheMedianFollowsNormsThatGrowSlowly) {
  GradientWatch watch = settled();
  for (int i = 0; i < 400; ++i) EXPECT_EQ(watch.judge(1 + 0.1 * i), GradientVerdict::kApply);
  EXPECT_GT(*watch.median(), 30);
  EXPECT_EQ(watch.history().norms.size(), 100u);
}

TEST(GradientWatch, TenSkipsInARowStopTheRun) {
  GradientWatch watch = settled();
  for (int i = 0; i < 9; ++i) EXPECT_EQ(watch.judge(kInfinity), GradientVerdict::kSkip);
  EXPECT_EQ(watch.judge(kInfinity), GradientVerdict::kStop);
  EXPECT_EQ(watch.history().skipped, 10);
}

TEST(GradientWatch, NineSkipsAndAnUpdateDoNot) {
  GradientWatch watch = settled();
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 9; ++i) EXPECT_EQ(watch.judge(kInfinity), GradientVerdict::kSkip);
    EXPECT_EQ(watch.judge(1), GradientVerdict::kApply);
  }
  EXPECT_EQ(watch.history().skipped, 45);
}

TEST(GradientWatch, AMedianOfZeroJudgesNothing) {
  GradientWatch watch;
  for (int i = 0; i < 100; ++i) watch.judge(0);
  EXPECT_EQ(watch.judge(3), GradientVerdict::kApply);
}

// Every third norm is a spike or worse.
double wild_norm(int64_t i) { return i % 3 == 0 ? 50.0 : i % 7 == 0 ? std::nan("") : quiet_norm(i); }

TEST(GradientWatch, ARestoredWatchJudgesAsTheOneBefore) {
  GradientWatch straight;
  for (int64_t i = 0; i < 150; ++i) straight.judge(wild_norm(i));
  const std::string saved = write_history(straight.history()).dump();
  GradientWatch resumed({}, read_history(nlohmann::json::parse(saved), "state"));
  EXPECT_EQ(resumed.history(), straight.history());
  for (int64_t i = 150; i < 300; ++i) EXPECT_EQ(resumed.judge(wild_norm(i)), straight.judge(wild_norm(i))) << i;
  EXPECT_EQ(resumed.history(), straight.history());
}

TEST(GradientWatch, AFreshWatchJudgesOtherwise) {
  GradientWatch straight = settled(), fresh;
  EXPECT_NE(fresh.judge(50), straight.judge(50));
}

TEST(GradientWatch, RefusesAHistoryOfSomethingElse) {
  EXPECT_THAT(refusal_of([] {
                read_history({{"norms", 3}}, "state.json");
              }),
              HasSubstr("state.json: expected a history"));
}

TEST(GradientWatch, RefusesCountsThatNoRunReaches) {
  GradientHistory history{.applied = std::numeric_limits<int64_t>::max()};
  EXPECT_THAT(refusal_of([&] { read_history(write_history(history), "state.json"); }),
              HasSubstr("state.json: a count of updates must be between 0 and 2^53, got 9223372036854775807"));
  history.applied = -1;
  EXPECT_THAT(refusal_of([&] { read_history(write_history(history), "state.json"); }), HasSubstr("got -1"));
  history.applied = int64_t{1} << 53;
  EXPECT_EQ(read_history(write_history(history), "state.json"), history);
}

TEST(GradientWatch, RefusesLimitsThatCannotHold) {
  EXPECT_THAT(refusal_of([] { GradientWatch({.factor = 1}); }), HasSubstr("times the median, got 1"));
  EXPECT_THAT(refusal_of([] { GradientWatch({.window = 10, .minimum = 20}); }), HasSubstr("window of 10"));
  EXPECT_THAT(refusal_of([] { GradientWatch({.stop_after = 0}); }), HasSubstr("got 0"));
}

}  // namespace
}  // namespace sgf
