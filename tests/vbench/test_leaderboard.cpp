// The leaderboard's totals.
#include "sgf/vbench/leaderboard.h"
#include "tests/core/refusal.h"

namespace sgf {
namespace {

// Every dimension at a share of its range.
std::map<std::string, double> all_at(double share) {
  std::map<std::string, double> scores;
  for (const VbenchDimension& d : vbench_dimensions())
    scores[std::string(d.name)] = d.least + share * (d.most - d.least);
  return scores;
}

TEST(Leaderboard, TheEndsOfAllRangesAreZeroAndOne) {
  EXPECT_NEAR(*leaderboard_totals(all_at(0)).total, 0, 1e-15);
  EXPECT_NEAR(*leaderboard_totals(all_at(1)).total, 1, 1e-15);
}

TEST(Leaderboard, DynamicDegreeWeighsHalf) {
  auto scores = all_at(0);
  scores["dynamic_degree"] = 1;
  EXPECT_NEAR(*leaderboard_totals(scores).quality, 0.5 / 6.5, 1e-15);
  scores["dynamic_degree"] = 0;
  scores["imaging_quality"] = 1;
  EXPECT_NEAR(*leaderboard_totals(scores).quality, 1 / 6.5, 1e-15);
}

TEST(Leaderboard, QualityIsFourFifthsOfTheTotal) {
  auto scores = all_at(0);
  for (const VbenchDimension& d : vbench_dimensions())
    if (d.is_quality) scores[std::string(d.name)] = d.most;
  EXPECT_NEAR(*leaderboard_totals(scores).total, 0.8, 1e-15);
}

TEST(Leaderboard, ScoresBeyondARangeAreNotClamped) {
  auto scores = all_at(1);
  scores["motion_smoothness"] = 1;
  EXPECT_GT(*leaderboard_totals(scores).quality, 1);
}

TEST(Leaderboard, AMissingDimensionLeavesOutTheTotalsThatNeedIt) {
  auto scores = all_at(0.5);
  scores.erase("scene");
  const LeaderboardTotals totals = leaderboard_totals(scores);
  EXPECT_TRUE(totals.quality);
  EXPECT_FALSE(totals.semantic);
  EXPECT_FALSE(totals.total);
  EXPECT_EQ(totals.missing, std::vector<std::string>{"scene"});
}

TEST(Leaderboard, AnUnknownDimensionIsRefused) {
  EXPECT_THAT(refusal_of([] { leaderboard_totals({{"sharpness", 1.0}}); }), ::testing::HasSubstr("'sharpness'"));
}

}  // namespace
}  // namespace sgf
